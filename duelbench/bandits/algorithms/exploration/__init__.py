"""Pure exploration and identification: sample arms or pairs until the answer is certain."""
