"""Figures beside results that were drawn from an earlier spec or style sheet: each records the SHA-256 of both."""

import re
import shlex

from duelbench.common import style_sheet
from duelbench.experiments.figures.drawing.canvas import FORMATS, PGF
from duelbench.experiments.results.manifest import Results

_KIND = re.compile(rb"regret, ([a-z-]+)")


def stale_figures(results: Results) -> list[str]:
    """A line on each figure in a results folder that does not show the present spec, with the command that draws it.

    The formats of a figure share a line. Pictures that record no spec are not figures of duelbench. A style sheet of
    the spec that cannot be used has a line, too.
    """
    lines = []
    sheet, own = style_sheet.of_figure(results.spec.get("figure"), results.spec_folder), b""
    if sheet is not None and (why := style_sheet.mistake(sheet)):
        lines = [f"no figure can be drawn: style: {why}"]
    elif sheet is not None:
        own = style_sheet.identity(sheet).encode()
    recorded = re.compile(re.escape(results.name).encode() + rb" \\?\(spec SHA-256 ([0-9a-f]{64})")
    forms: dict[tuple[str, str, str], list[str]] = {}
    for path in sorted(results.folder.glob("*.*")):
        form = path.suffix.removeprefix(".")
        if form not in (*FORMATS, PGF) or not path.is_file():
            continue
        content = path.read_bytes()
        digests = recorded.findall(content)
        is_of_sheet = own and own.partition(b" SHA-256 ")[0] + b" " in content
        changed = "spec" if results.spec_sha256.encode() not in digests else "style sheet"
        if digests and (changed == "spec" or (is_of_sheet and own not in content)):
            kind = _KIND.search(content)
            forms.setdefault((path.stem, kind[1].decode() if kind else "", changed), []).append(form)
    return [*lines, *(_line(results, *figure, its_forms) for figure, its_forms in forms.items())]


def _line(results: Results, stem: str, kind: str, changed: str, forms: list[str]) -> str:
    is_usual = kind and stem in (results.name, f"{results.name}-{kind}")
    command = ["duelbench", "plot" if kind else "compare", str(results.folder)]
    if kind and stem != results.name:
        command += ["--kind", kind]
    if not is_usual:
        command += ["-o", str(results.folder / f"{stem}.{forms[0]}")]
    if kind and (set(forms) - {"pdf", "png"} if is_usual else forms[1:]):
        command += [word for form in forms for word in ("--format", form)]
    files = ", ".join(f"{stem}.{form}" for form in forms)
    return f"{files}, drawn before the {changed} changed; draw again: {shlex.join(command)}"
