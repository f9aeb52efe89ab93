"""The checks of files of operations: imported only where there is one to check."""
