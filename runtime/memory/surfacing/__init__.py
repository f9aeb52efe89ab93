"""Surfacing: the lines that bring an article into a conversation when its asset is touched."""
