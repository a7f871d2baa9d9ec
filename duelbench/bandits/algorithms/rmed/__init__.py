"""The RMED family: draws each pair as often as the divergence of its empirical preference from 1/2 requires."""
