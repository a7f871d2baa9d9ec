"""``duelbench live --web``: a page on this machine on which people answer."""

import contextlib
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from duelbench.cli.live.known import known, sentences
from duelbench.errors import InputError
from duelbench.live.arms import Arm
from duelbench.live.session import Session
from duelbench.live.web.address import Address, keep, kept_address, new_address
from duelbench.live.web.desk import Desk
from duelbench.live.web.exhibits import Exhibit, exhibit
from duelbench.live.web.server import Server, shown_on_page

_HINT = "Open this address in a browser of this machine, in a tab for each judge. Ctrl-C ends it, and nothing is lost."


def serve(
    session: Session,
    arms: Sequence[Arm],
    *,
    log: Path | None = None,
    port: int | None = None,
    opens: bool = False,
    asked: str = "Which is better?",
    judge: str | None = None,
    budget: int | None = None,
) -> None:
    """Serve the page until Ctrl-C.

    Parameters
    ----------
    session : Session
        It stays open.
    arms : sequence of Arm
        In the order of ``session.arms``.
    log : Path, optional
        Beside it the address is kept, so that open pages go on when the session does.
    port : int, optional
        Else that of last time, or one that is free.
    opens : bool
        Whether to open the page in the user's browser.
    asked, judge, budget
        As in `Desk`.

    Raises
    ------
    InputError
        If the port cannot be used, or the file of an arm cannot be shown.
    """
    exhibits = [exhibit(arm) for arm in arms]
    desk = Desk(session, shown_on_page(exhibits), asked=asked, judge=judge, budget=budget)
    server = _server(desk, exhibits, log, port)
    if log is not None:
        keep(server.address, log)
    print(f"{server.address.url}\n{_HINT}", file=sys.stderr, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        if opens and not webbrowser.open(server.address.url):
            print("No browser was found: open the address yourself.", file=sys.stderr)
        server.serve()


def known_on_page(session: Session) -> dict[str, Any]:
    """What is known, with the sentences below the table."""
    document = known(session)
    return {**document, "sentences": sentences(document)}


def _server(desk: Desk, exhibits: Sequence[Exhibit], log: Path | None, port: int | None) -> Server:
    """A server at the port that was asked for, else at that of last time, else at one that is free."""
    kept = None if log is None else kept_address(log)
    address = new_address() if kept is None else kept
    if port is not None:
        try:
            return Server(Address(port, address.token), desk, exhibits, known_on_page)
        except OSError as error:
            raise InputError(
                f"--port {port}: cannot be used: {error.strerror}; leave it out, and one that is free is taken"
            ) from error
    try:
        return Server(address, desk, exhibits, known_on_page)
    except OSError:
        print(f"Port {address.port} of last time is taken: pages that are still open do not go on.", file=sys.stderr)
        return Server(new_address(), desk, exhibits, known_on_page)  # whoever has the port may have heard the token
