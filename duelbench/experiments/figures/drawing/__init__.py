"""How figures are drawn: one file for each kind, the canvas and the styles that they share."""
