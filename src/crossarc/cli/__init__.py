"""The command line: one module per command. Modules import what is heavy inside the functions that need it."""
