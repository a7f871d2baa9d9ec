"""Rankers compared through clicks on interleaved lists: collections of judged documents become preference matrices."""
