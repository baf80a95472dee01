"""What authors disclose of themselves, over all their texts."""
