"""The results of experiments on one HTML page that needs no other file."""
