"""Answers: what a model wrote, cut into thinking, text, pins and elements of its own."""
