"""Live sessions, in which judges decide the duels that an algorithm chooses, and rankings of their answers."""
