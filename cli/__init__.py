"""The ``dcc`` command: one file a verb."""
