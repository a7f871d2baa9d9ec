"""The RMED family: pairs are drawn as often as the divergence of what was seen from 1/2 asks for."""
