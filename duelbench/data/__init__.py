"""Preference data as people have it: files, PrefLib, rankings with clicks and logs become matrices and counts."""
