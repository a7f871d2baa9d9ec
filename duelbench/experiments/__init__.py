"""From a YAML spec to runs, results, figures and tables."""
