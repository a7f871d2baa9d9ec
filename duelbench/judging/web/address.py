"""Where the page is: a port of this machine and a token, stored beside the log.

The next server on the same log has the same address, so that a page that is still open goes on by itself.
"""

import json
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
"""The machine itself: no other one can ask."""

ANY_PORT = 0
"""The system chooses one that is free."""


@dataclass(frozen=True)
class Address:
    """A port and the token without which the server answers nobody."""

    port: int
    token: str

    @property
    def url(self) -> str:
        """What to open in a browser."""
        return f"http://{HOST}:{self.port}/{self.token}/"


def new_address() -> Address:
    """Any port, and a token of 256 random bits."""
    return Address(ANY_PORT, secrets.token_urlsafe(32))


def file_beside(log: Path) -> Path:
    """The file that stores the address of the page on a log."""
    return log.with_name(f"{log.name}.address")


def stored_address(log: Path) -> Address | None:
    """The address beside a log; None where there is none, or where others may have read or changed it."""
    try:
        with open(file_beside(log), encoding="utf-8") as file:
            is_private = os.name == "nt" or os.fstat(file.fileno()).st_mode & 0o077 == 0
            stored = json.load(file)
        port, token = stored["port"], stored["token"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    is_port = type(port) is int and 1024 <= port < 65536
    is_token = type(token) is str and re.fullmatch(r"[A-Za-z0-9_-]{32,64}", token) is not None
    return Address(port, token) if is_private and is_port and is_token else None


def store(address: Address, log: Path) -> None:
    """Store an address beside a log, for its owner's eyes only. Where that cannot be, the next page has another."""
    target = file_beside(log)
    beside = target.with_name(f"{target.name}.new")
    try:
        beside.unlink(missing_ok=True)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump({"port": address.port, "token": address.token}, file)
        os.replace(beside, target)
    except OSError:
        return
