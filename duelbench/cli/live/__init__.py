"""The commands about duels that somebody is asked to judge."""
