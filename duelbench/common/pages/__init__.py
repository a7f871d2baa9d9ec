"""HTML pages that show figures and tables, each in one file that needs no other."""
