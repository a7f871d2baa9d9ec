"""Many runs: specs, plans, the results folder, the parallel runner."""
