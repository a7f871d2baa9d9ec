"""Third-party algorithms: templates and checks."""
