"""What a figure shows, before anything is drawn: panels of entries, each with its curve."""

from dataclasses import dataclass

from duelbench.figures.curves import Curve


@dataclass(frozen=True, eq=False)
class Entry:
    """One algorithm of one panel.

    Parameters
    ----------
    algorithm, label : str
        Id, which decides the look, and the text of the legend.
    curve : Curve
    restarts : bool
        True for an algorithm that was run anew for every horizon: each point of the curve is then the end of
        runs of their own, and nothing joins them.
    found, planned : int
        How many runs there are and how many the spec asks for, all horizons together.
    """

    algorithm: str
    label: str
    curve: Curve
    restarts: bool
    found: int
    planned: int


@dataclass(frozen=True, eq=False)
class Panel:
    """The curves of one problem.

    Parameters
    ----------
    title : str
        Shown above the panel where there are several.
    problem : str
        The problem in the CSV file.
    entries : tuple of Entry
        In the order of the spec.
    bounds : tuple of (str, float)
        Lower bounds: what the line C log t is called, and its C in duels.
    mixed_versions : bool
        Whether runs of one algorithm in the figure come from several trace versions, which only a stamped
        figure may show.
    """

    title: str
    problem: str
    entries: tuple[Entry, ...]
    bounds: tuple[tuple[str, float], ...] = ()
    mixed_versions: bool = False

    @property
    def warning(self) -> str | None:
        """What must be stamped across the panel, or None when its data are whole."""
        found = sum(entry.found for entry in self.entries)
        planned = sum(entry.planned for entry in self.entries)
        parts = [f"partial: {found} of {planned} runs"] if found < planned else []
        parts += ["mixed trace versions"] if self.mixed_versions else []
        return "\n".join(parts) or None
