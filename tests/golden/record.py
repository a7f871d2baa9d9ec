"""Record what the project stores about each algorithm: ``python -m tests.golden.record [--change ID...]``.

Without arguments it adds what is missing of new algorithms: digests of their traces, and their
parameters in ``configs/spec.schema.json``.
Digests that are there stay, unless ``--change`` names their algorithms: where traces were meant to change, raise
``trace_version``, add an entry under "Changes that alter traces" to CHANGELOG.md, and record again.
"""

import argparse

from duelbench.bandits.algorithms import registry
from duelbench.cli.schema import rendered
from tests.golden import traces


def main() -> None:
    """Record, and say what was recorded."""
    parser = argparse.ArgumentParser("python -m tests.golden.record", description=__doc__)
    parser.add_argument("--change", nargs="+", default=[], metavar="ID", help="record these digests again")
    changed = [registry.get(id).id for id in parser.parse_args().change]
    known = traces.recorded()
    for id in registry.BUILT_IN:
        if "duels" in registry.get(id).plays and (id in changed or id not in known):
            known[id] = traces.present(id)
            print(f"{id}: digests of its traces")
    traces.write({id: entry for id, entry in known.items() if id in registry.BUILT_IN})
    (traces.ROOT / "configs" / "spec.schema.json").write_text(rendered(), encoding="utf-8")


if __name__ == "__main__":
    main()
