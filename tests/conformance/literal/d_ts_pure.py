"""Pure Double Thompson Sampling: Wu and Liu, NIPS 2016, appendix D.2.4."""

from . import Transcription
from .d_ts import DTS, beta_above_half


class PureDTS(DTS):
    """D-TS without its bounds: both arms are chosen among all arms, by their samples alone.

    Draws per round, with ``draws="signs"``:

    - first arm: ``random() < P(theta_ij > 1/2)`` for all i < j in order of (i, j), then ``integers`` among
      arms with equally many votes;
    - second arm: ``random() < P(theta_ia > 1/2)`` for all i != a by increasing i; then, if several are above,
      ``beta_above_half`` for each of them in that order.

    ``draws="betas"`` samples every theta instead.
    """

    def __init__(self, n_arms, horizon, rng, draws="signs", beta_above_half=beta_above_half):
        super().__init__(n_arms, horizon, rng, draws=draws, beta_above_half=beta_above_half)

    def candidates(self, u):
        """All arms, in place of lines 5-6."""
        return list(range(self.K))

    def _uncertain(self, u, a):
        """All other arms, in place of the filter of line 14."""
        return [i for i in range(self.K) if i != a]


ORACLES = {"d-ts-pure": Transcription(PureDTS, standing=False, draws_differ=True)}
