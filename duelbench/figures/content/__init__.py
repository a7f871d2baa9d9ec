"""The content of figures and tables, read off the results, before anything is drawn."""
