"""``duelbench live --web``: serves a page on this machine on which people answer."""

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
    """The parts of a page that are checked before the session creates a log."""

    arms: Sequence[Arm]
    exhibits: dict[str, Exhibit]  # by the names of arms
    listener: socket.socket
    token: str  # of the address
    lost: int | None  # the earlier port if another program uses it now, so that open pages do not continue


@contextlib.contextmanager
def prepared(arms: Sequence[Arm], log: Path) -> Iterator[Page]:
    """Listen at the port that is stored beside the log, or at a free one, in the ``with`` block.

    Raises
    ------
    InputError
        If the file of an arm cannot be shown.
    """
    exhibits = {arm.name: exhibit(arm) for arm in arms}
    address: Address = stored_address(log) or new_address()
    lost = None
    try:
        listener = listening(address.port)
    except OSError:
        lost, address = address.port, new_address()  # the program at this port may have received the token
        listener = listening(address.port)
    with listener:
        yield Page(arms, exhibits, listener, address.token, lost)


def serve(
    session: Session, page: Page, log: Path, *, presentation: Presentation, judge: str | None, budget: int | None
) -> None:
    """Serve the page until Ctrl-C; return at once if the session asks nothing more."""
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
    with Server(page.listener, page.token, desk, exhibits) as server:
        reason = desk.over()
        if reason:
            tell(f"{reason} There is nothing to ask on a page.")
            return
        if page.lost is not None:
            tell(f"Another program uses the earlier port {page.lost}: pages that are still open do not continue.")
        store(server.address, log)
        tell(f"{server.address.url}\n{_HINT}")
        with contextlib.suppress(KeyboardInterrupt):
            server.serve()


def _say_over(reason: str) -> None:
    tell(f"{reason} The last answer can still be taken back on the page; Ctrl-C ends it.")
