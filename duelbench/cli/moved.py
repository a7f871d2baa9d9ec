"""Commands and options that are gone, and what to do instead."""

from duelbench.errors import InputError

_BY_FOLDER = "name the results folder itself, such as results/first-quick"
_WRITTEN_OVER = "a file that you name is written over"

MOVED = {
    "bench": "developers measure with `make bench`, in a checkout",
    "leaderboard build": "write `python -m duelbench.leaderboard RESULTS... -o FOLDER`",
    "leaderboard compare": "use `duelbench verify RESULTS --against leaderboard`, or name a leaderboard.json",
    "matrix slice": "`make fig-urvoy2013-12` draws it, in a checkout (docs/studies/winner_slice.py)",
    "matrix winners": "docs/studies/winners_of_parts.py draws it, in a checkout",
    **{
        f"{command} --{option}": _BY_FOLDER
        for command in ("status", "export", "verify", "plot", "report", "compare")
        for option in ("scale", "out")
    },
    **{f"{command} --force": _WRITTEN_OVER for command in ("export", "matrix generate", "matrix import")},
    "advise --gaps": "write --gap small, --gap middling or --gap large",
    "advise --matrices": "duelbench.live.advising.advise(..., n_matrices=...) in Python draws as many as you like",
    "list --folder": "`duelbench show FILE` describes a matrix of your own",
    "live --dry-run": "start it: q ends it before anything is answered, and --budget 1 asks a command only once",
    "live --horizon": "write --param horizon=ROUNDS",
    "live --open": "open the address that it prints",
    "live --port": "the port stays the same as long as the log does: use the one that is printed",
    "live --retries": "a command that fails is retried twice; let it try more often by itself",
    "live --status": "name the log alone: duelbench live dishes.jsonl",
    "matrix from-rankings --cache": "set the variable XDG_CACHE_HOME to the folder of your caches",
    "matrix from-rankings --exact-up-to": "what needs up to 4000 lists, clicks and orders is computed exactly",
    "matrix from-rankings --force": _WRITTEN_OVER,
    "matrix from-rankings --grades": "the scale follows from the highest grade; --click and --stop are for any other",
    "plot --beside": "use --kind exploration --set beside=FILE:FIGURE",
    "plot --exploration": "use --kind exploration",
    "plot --from": "use --set first_round=ROUND",
    "plot --log-regret": "use --set y_scale=log",
    "plot --no-title": "use --set title=no",
    "plot --style": "use --set style=STYLE",
    "plot --title": "use --set title=TEXT",
    "plot --together": "use --set together=yes",
    "plot --ymax": "use --set ymax=DUELS",
    "verify --quiet": "progress goes to standard error: add 2> /dev/null",
    "run --backend": "`--scheduler ADDRESS` alone says that a Dask cluster is to run it",
    "slurm --minutes": "tasks last ten minutes or longer; --tasks limits their number",
}
"""Commands and options that are gone -> what to do instead."""


def refuse_moved(args: list[str]) -> None:
    """Refuse a command line that uses what is gone, saying the new way."""
    for command in (args[0], " ".join(args[:2])) if args else ():
        options = [argument.partition("=")[0] for argument in args[1:] if argument.startswith("--")]
        for words in (command, *(f"{command} {option}" for option in options)):
            if words in MOVED:
                raise InputError(f"`duelbench {words}` is gone: {MOVED[words]}")
