"""Model providers: a request goes out, a reply comes back. One protocol, one small file a concern."""
