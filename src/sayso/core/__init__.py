"""What the product is: pure models, state machines and decisions. No await, no I/O."""
