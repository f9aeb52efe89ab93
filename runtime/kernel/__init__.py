"""Clock, ledger, timeline and projection: the part that decides what is on stage."""
