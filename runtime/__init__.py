"""Executes a Program over an append-only ledger."""
