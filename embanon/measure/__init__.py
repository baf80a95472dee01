"""What any system masked, measured against what people marked."""
