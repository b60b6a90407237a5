"""What the product is: contracts, state machines and decisions as pure functions and values."""
