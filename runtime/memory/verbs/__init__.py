"""The verbs of the tool, a file each: a function from a desk and the arguments of a call to a reply."""
