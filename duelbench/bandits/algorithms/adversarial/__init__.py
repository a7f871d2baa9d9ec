"""Algorithms whose promises hold whatever the outcomes are."""
