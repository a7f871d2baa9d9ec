"""The command about duels that are judged."""
