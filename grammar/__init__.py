"""Text to typed syntax: bounds, chat lines and commands. Knows nothing of files or time."""
