"""Articles found by words: search, and retrieval by relevance to the work (specification of canon, sections 4.5, 9)."""
