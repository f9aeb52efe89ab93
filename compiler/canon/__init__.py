"""The contract of a canon store: schema.json, what it asks of articles, and advice on them."""
