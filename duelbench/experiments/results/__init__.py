"""The results folder of an experiment: one NPZ file per run, the manifest, the identity of a run, and its state."""
