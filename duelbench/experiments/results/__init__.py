"""The folder of an experiment: one NPZ file per run, the manifest, what identifies a run, what state it is in."""
