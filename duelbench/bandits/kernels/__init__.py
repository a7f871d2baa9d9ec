"""Compiled building blocks that know no algorithm: decorators, sampling, divergence, confidence bounds, posteriors."""
