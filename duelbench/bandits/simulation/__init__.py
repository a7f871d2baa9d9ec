"""The simulation: one algorithm on one problem, recorded as a trace."""
