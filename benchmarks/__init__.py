"""What things cost, as ratios to the floors of the same machine in the same run."""
