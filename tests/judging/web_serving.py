"""A server of the web page in a thread, for tests."""

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from duelbench import Session
from duelbench.judging.web.address import Address, new_address
from duelbench.judging.web.desk import Desk
from duelbench.judging.web.exhibits import Exhibit
from duelbench.judging.web.server import Server, listening, shown_on_page


@contextlib.contextmanager
def serving(
    session: Session,
    exhibits: Sequence[Exhibit] = (),
    *,
    address: Address | None = None,
    names: bool = False,
    **options: Any,
) -> Iterator[Server]:
    """A server of a session; its arms are shown by name unless there are ``exhibits``."""
    shown = exhibits or [Exhibit("name", name) for name in session.arms]
    wanted = address or new_address()
    on_page = shown_on_page(shown, session.arms if names else ())
    server = Server(listening(wanted.port), wanted.token, Desk(session, on_page, **options), shown)
    with ThreadPoolExecutor(1) as pool:
        served = pool.submit(server.serve)
        try:
            yield server
        finally:
            server.shutdown()
        served.result()
