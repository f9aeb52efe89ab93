"""Where a session's events and contents live. One interface; memory here, SQLite and others beside it."""
