"""``python -m dcc`` and the ``dcc`` command."""

from .cli.entry import main

if __name__ == "__main__":
    main()
