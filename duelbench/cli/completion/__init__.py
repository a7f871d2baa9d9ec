"""What a shell is told when someone presses the tab key."""
