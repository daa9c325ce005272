"""What the graph is made by: pure functions over statements, events and instants."""
