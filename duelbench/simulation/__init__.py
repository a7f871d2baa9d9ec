"""The clock: plays one algorithm against one matrix and leaves a trace."""
