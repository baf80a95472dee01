"""What can be set, its defaults, and where the settings in force come from."""
