"""Plays the runs of an experiment: what to do, on all cores, whatever workers and users do."""
