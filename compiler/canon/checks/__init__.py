"""What ``dcc canon lint`` finds in a store, a file each; its docstring is its page (``dcc explain``)."""
