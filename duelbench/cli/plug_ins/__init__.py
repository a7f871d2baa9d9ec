"""The commands of those who write algorithms of their own."""
