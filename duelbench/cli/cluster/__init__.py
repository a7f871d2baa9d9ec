"""Commands for experiments that several machines play."""
