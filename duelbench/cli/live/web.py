"""``duelbench live --web``: a page on this machine on which people answer."""

import contextlib
import socket
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from duelbench.cli.live.known import known, sentences
from duelbench.errors import InputError
from duelbench.live.arms import Arm
from duelbench.live.session import Session
from duelbench.live.web.address import Address, keep, kept_address, new_address
from duelbench.live.web.desk import Desk
from duelbench.live.web.exhibits import Exhibit, check_picture, exhibit
from duelbench.live.web.server import Server, listening, shown_on_page

_HINT = "Open this address in a browser of this machine, in a tab for each judge. Ctrl-C ends it, and nothing is lost."


class Page(NamedTuple):
    """What a page needs before there is a session, so that what is wrong is said before there is a log.

    exhibits : dict of str to Exhibit. By the arms' names.
    door : socket. The port, taken.
    address : Address.
    lost : int, optional. The port of last time, where it is taken: pages that are still open do not go on.
    """

    exhibits: dict[str, Exhibit]
    door: socket.socket
    address: Address
    lost: int | None


def page(arms: Sequence[Arm], *, log: Path | None = None, port: int | None = None) -> Page:
    """Take a port, and look at what is to be shown.

    Parameters
    ----------
    arms : sequence of Arm
    log : Path, optional
        Beside it the address of last time is kept.
    port : int, optional
        Else that of last time, or one that is free.

    Raises
    ------
    InputError
        If the port cannot be used, or the file of an arm cannot be shown.
    """
    exhibits = {arm.name: exhibit(arm) for arm in arms}
    for arm in arms:
        check_picture(arm)
    address = (None if log is None else kept_address(log)) or new_address()
    lost = None
    try:
        door = listening(address.port if port is None else port)
    except OSError as error:
        if port is not None:
            raise InputError(
                f"--port {port}: cannot be used: {error.strerror}; leave it out, and one that is free is taken"
            ) from error
        lost, address = address.port, new_address()  # whoever has the port may have heard the token
        door = listening(address.port)
    return Page(exhibits, door, Address(door.getsockname()[1], address.token), lost)


def serve(
    session: Session,
    page: Page,
    *,
    log: Path | None = None,
    opens: bool = False,
    asked: str = "Which is better?",
    judge: str | None = None,
    budget: int | None = None,
) -> None:
    """Serve the page until Ctrl-C; not at all where nothing is to be asked.

    Parameters
    ----------
    session : Session
        It stays open.
    page : Page
        Of its arms; its port is given back at the end.
    log : Path, optional
        Beside it the address is kept, so that open pages go on when the session does.
    opens : bool
        Whether to open the page in the user's browser.
    asked, judge, budget
        As in `Desk`.
    """
    exhibits = [page.exhibits[name] for name in session.arms]
    desk = Desk(session, shown_on_page(exhibits), asked=asked, judge=judge, budget=budget, over=_say_over)
    with Server(page.door, page.address.token, desk, exhibits, known_on_page) as server:
        if over := desk.over():
            _say(f"{over} There is nothing to ask on a page.")
            return
        if page.lost is not None:
            _say(f"Port {page.lost} of last time is taken: pages that are still open do not go on.")
        if log is not None:
            keep(server.address, log)
        _say(f"{server.address.url}\n{_HINT}")
        with contextlib.suppress(KeyboardInterrupt):
            if opens and not webbrowser.open(server.address.url):
                _say("No browser was found: open the address yourself.")
            server.serve()


def _say_over(why: str) -> None:
    _say(f"{why} The last answer can still be taken back on the page; Ctrl-C ends it.")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def known_on_page(session: Session) -> dict[str, Any]:
    """What is known, with the sentences below the table."""
    document = known(session)
    return {**document, "sentences": sentences(document)}
