"""Project memory: articles at the addresses of assets, and a journal of what happened."""
