"""Chat: a person's messages through a session and a provider, turn by turn."""
