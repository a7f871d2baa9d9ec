"""Stores the address of the page, a port of this machine and a token, beside the log.

The next server of the same log uses the same address, and pages that are still open continue by themselves.
"""

import json
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
"""This machine only: no other machine can connect."""

ANY_PORT = 0
"""Lets the system choose a free port."""


@dataclass(frozen=True)
class Address:
    """A port and the token without which the server answers nobody."""

    port: int
    token: str

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return f"http://{HOST}:{self.port}/{self.token}/"


def new_address() -> Address:
    """Return an address with any port and a token of 256 random bits."""
    return Address(ANY_PORT, secrets.token_urlsafe(32))


def file_beside(log: Path) -> Path:
    """Return the file that stores the address of a log's page."""
    return log.with_name(f"{log.name}.address")


def stored_address(log: Path) -> Address | None:
    """Return the address stored beside a log; None if it is missing, invalid, or open to other users."""
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
    """Store an address beside a log, readable by its owner only; do nothing if the file cannot be written."""
    target = file_beside(log)
    temporary = target.with_name(f"{target.name}.new")
    try:
        temporary.unlink(missing_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump({"port": address.port, "token": address.token}, file)
        os.replace(temporary, target)
    except OSError:
        return
