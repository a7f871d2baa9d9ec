"""Pure exploration and identification: what is asked of arms or pairs until the answer is certain."""
