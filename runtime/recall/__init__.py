"""Recall: slots found again by the words of a message, on stage or not."""
