"""Running systems: machines, configurations, derivations."""
