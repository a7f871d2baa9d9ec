"""Code that all parts of duelbench share: files, texts, the operating system, HTML pages."""
