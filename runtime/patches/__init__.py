"""Content patches, endings, collapse and rule patches: what a person changes from the chat line."""
