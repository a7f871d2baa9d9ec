"""A local web page on which people answer a session's questions: its desk, its server and its files."""
