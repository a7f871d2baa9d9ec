"""What a spec asks of identification: the question, budgets, and stopping rules of algorithms."""
