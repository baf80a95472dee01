"""How much each phrase gives away: how identifying it is, of whom it speaks, what it is about."""
