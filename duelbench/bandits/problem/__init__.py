"""The problems: preference matrices, their winners and regret. Nothing here depends on algorithms."""
