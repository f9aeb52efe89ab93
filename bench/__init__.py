"""Measurements of dcc: ``python -m bench`` prints every figure with its bar as one JSON document."""
