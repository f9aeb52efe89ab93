"""Compaction: old turns leave the stage for a summary of them."""
