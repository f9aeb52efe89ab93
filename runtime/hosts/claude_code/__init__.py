"""Claude Code as a host of canon: its hooks, whose protocol Codex shares, and the entries that install them."""
