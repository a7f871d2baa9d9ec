"""Third-party algorithms and programs: templates, checks, audits."""
