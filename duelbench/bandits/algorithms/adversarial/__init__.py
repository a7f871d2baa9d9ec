"""Algorithms with guarantees for any outcomes."""
