"""The agent: one request carried out with tools, from the prompt to the result."""
