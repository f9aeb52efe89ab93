"""The checks, one a module: found by name, explained by their docstrings (`dcc explain CODE`)."""
