"""Integrations with other libraries, one file each, which alone imports that library."""
