"""Codex as a host of canon: the entries that install the hooks and the server."""
