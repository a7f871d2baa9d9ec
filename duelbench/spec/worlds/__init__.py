"""The key `world` of a spec."""
