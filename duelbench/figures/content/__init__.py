"""What figures and tables show, read off the results, before anything is drawn."""
