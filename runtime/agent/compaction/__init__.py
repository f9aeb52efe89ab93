"""Compaction at the model: a compressor for transcripts that are longer than one request may be."""
