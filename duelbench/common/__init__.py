"""What all houses use: files, texts, the system, pages of HTML."""
