"""What can be said of a system: properties, bounds, all graphs that it derives."""
