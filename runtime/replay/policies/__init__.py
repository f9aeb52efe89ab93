"""Reference policies: what other context systems would have kept of the same recording, one file a family."""
