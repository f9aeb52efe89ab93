"""The graph of a store: articles, journal entries and assets, what points to what, and a page that shows it."""
