"""What an agent can do: its tools, and where they may reach."""
