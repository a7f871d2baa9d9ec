"""What commands do, to be called from Python as well: run, plot, load, export."""
