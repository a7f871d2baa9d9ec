"""The science: kernels, problems, algorithms, simulation and statistics; no YAML, no results folders, no plots."""
