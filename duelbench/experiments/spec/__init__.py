"""YAML -> `ExperimentSpec`: one declaration per key, every mistake with its place."""
