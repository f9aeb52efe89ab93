"""A canon store on disk: one folder of plain files that the original reads and writes too."""
