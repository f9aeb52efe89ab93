"""Controls: what a person or a host does to slots and rules outside the model's turn."""
