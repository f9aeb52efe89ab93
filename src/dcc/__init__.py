"""dcc: what a language model sees, turn by turn, decided by rules that people can read."""

__version__ = "0.1.0"
__all__ = ["__version__"]
