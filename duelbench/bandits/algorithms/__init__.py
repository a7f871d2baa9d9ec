"""The algorithms: one module per family, each reading like its paper's pseudocode."""
