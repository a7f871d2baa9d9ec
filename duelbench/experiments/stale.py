"""Figures beside results that were drawn from an earlier spec: each records the SHA-256 of its spec."""

import re
import shlex

from duelbench.experiments.figures.drawing.canvas import FORMATS, PGF
from duelbench.experiments.results.manifest import Results

_KIND = re.compile(rb"regret, ([a-z-]+)")


def stale_figures(results: Results) -> list[str]:
    """A line on each figure in a results folder that does not show the present spec, with the command that draws it.

    The formats of a figure share a line. Pictures that record no spec are not figures of duelbench.
    """
    recorded = re.compile(re.escape(results.name).encode() + rb" \\?\(spec SHA-256 ([0-9a-f]{64})")
    forms: dict[tuple[str, str], list[str]] = {}
    for path in sorted(results.folder.glob("*.*")):
        form = path.suffix.removeprefix(".")
        if form not in (*FORMATS, PGF) or not path.is_file():
            continue
        content = path.read_bytes()
        digests = recorded.findall(content)
        if digests and results.spec_sha256.encode() not in digests:
            kind = _KIND.search(content)
            forms.setdefault((path.stem, kind[1].decode() if kind else ""), []).append(form)
    return [_line(results, stem, kind, its_forms) for (stem, kind), its_forms in forms.items()]


def _line(results: Results, stem: str, kind: str, forms: list[str]) -> str:
    is_usual = kind and stem in (results.name, f"{results.name}-{kind}")
    command = ["duelbench", "plot" if kind else "compare", str(results.folder)]
    if kind and stem != results.name:
        command += ["--kind", kind]
    if not is_usual:
        command += ["-o", str(results.folder / f"{stem}.{forms[0]}")]
    if kind and (set(forms) - {"pdf", "png"} if is_usual else forms[1:]):
        command += [word for form in forms for word in ("--format", form)]
    files = ", ".join(f"{stem}.{form}" for form in forms)
    return f"{files}, drawn before the spec changed; draw again: {shlex.join(command)}"
