"""Identification of the arm, or of the k arms, with the highest Borda scores."""
