"""Runs experiments: the plan, all cores, failing workers and interruptions."""
