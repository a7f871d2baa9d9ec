"""A local web page on which people answer the questions of a session."""
