"""Scenarios: conversations written down with what is expected of them (contracts.md)."""
