"""Transcriptions of the algorithms that end with an answer: best arms, rankings, and that there is no winner."""
