"""``duelbench live --web``: a page on this machine on which people answer."""

import contextlib
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from duelbench.cli.live.presentation import Presentation
from duelbench.cli.printing import tell
from duelbench.judging.arms import Arm
from duelbench.judging.session import Session
from duelbench.judging.web.address import Address, new_address, store, stored_address
from duelbench.judging.web.desk import Desk
from duelbench.judging.web.exhibits import Exhibit, exhibit
from duelbench.judging.web.server import Server, listening, shown_on_page

_HINT = "Open this address in a browser of this machine, in a tab for each judge. Ctrl-C ends it, and nothing is lost."


class Page(NamedTuple):
    """What a page needs before there is a session, so that what is wrong is said before there is a log."""

    arms: Sequence[Arm]
    exhibits: dict[str, Exhibit]  # by the arms' names
    door: socket.socket  # the port, taken
    token: str  # of the address
    lost: int | None  # the port of last time, where it is taken: pages that are still open do not go on


@contextlib.contextmanager
def prepared(arms: Sequence[Arm], log: Path) -> Iterator[Page]:
    """Within it the port of last time, which is stored beside the log, is taken, or one that is free.

    Raises
    ------
    InputError
        If the file of an arm cannot be shown.
    """
    exhibits = {arm.name: exhibit(arm) for arm in arms}
    address: Address = stored_address(log) or new_address()
    lost = None
    try:
        door = listening(address.port)
    except OSError:
        lost, address = address.port, new_address()  # whoever has the port may have heard the token
        door = listening(address.port)
    with door:
        yield Page(arms, exhibits, door, address.token, lost)


def serve(
    session: Session, page: Page, log: Path, *, presentation: Presentation, judge: str | None, budget: int | None
) -> None:
    """Serve the page until Ctrl-C, for `Desk`; not at all where nothing is to be asked."""
    exhibits = [page.exhibits[name] for name in session.arms]
    shown = shown_on_page(exhibits, session.arms if presentation.names else ())
    desk = Desk(
        session,
        shown,
        arms=page.arms,
        question=presentation.question,
        instructions=presentation.instructions,
        judge=judge,
        budget=budget,
        over=_say_over,
        warn=tell,
    )
    with Server(page.door, page.token, desk, exhibits) as server:
        if over := desk.over():
            tell(f"{over} There is nothing to ask on a page.")
            return
        if page.lost is not None:
            tell(f"Port {page.lost} of last time is taken: pages that are still open do not go on.")
        store(server.address, log)
        tell(f"{server.address.url}\n{_HINT}")
        with contextlib.suppress(KeyboardInterrupt):
            server.serve()


def _say_over(why: str) -> None:
    tell(f"{why} The last answer can still be taken back on the page; Ctrl-C ends it.")
