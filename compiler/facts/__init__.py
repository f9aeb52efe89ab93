"""Facts that are proved from the tables alone: what must happen in a session, whatever is said in it."""
