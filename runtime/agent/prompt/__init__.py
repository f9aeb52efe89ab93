"""The system prompt of an agent, section by section; each is a system slot of its own."""
