"""Recorded sessions under other rules: what each call would have held, what that costs and what it loses."""
