"""The options of a client, checked when it is made."""

from __future__ import annotations

import re
import ssl
import sys
from typing import Optional

from ._http import Address, Deadline, SecretKey, Sender, address_of
from .errors import misused

TIMEOUT_SECONDS = 30.0
WAIT_SECONDS = 180.0
#: An outage of the service longer than this ends the iteration over events with an error.
EVENTS_SECONDS = 300.0
EVENTS_PAGE = 100
MAX_ANSWER_BYTES = 32 * 1024 * 1024


class Settings:
    """What the blocking and the asyncio client have in common."""

    def __init__(
        self,
        *,
        secret_key: Optional[str],
        url: Optional[str],
        timeout: float,
        max_retries: int,
        max_answer_bytes: int,
        ca_file: Optional[str],
    ) -> None:
        if sys.platform == "emscripten":
            raise misused(
                "A secret key must never be in a page: revoke it, and use the button with your"
                " public key."
            )
        if not secret_key:
            raise misused(_not_set("secret_key", "the secret key"))
        if not url:
            raise misused(_not_set("url", "the address of the service"))
        parts = re.fullmatch(r"sk_(sandbox|live)_[A-Za-z0-9_]+", secret_key)
        if parts is None:
            raise misused(
                "secret_key must begin with sk_sandbox_ or sk_live_, then have letters and"
                " digits: was it copied whole?"
            )
        address = address_of(url)
        self.timeout = timeout
        self.max_retries = max_retries
        self.sender = Sender(address, SecretKey(secret_key), parts[1], max_answer_bytes)
        self.tls = _verified_tls(address, ca_file)

    def deadline(
        self,
        timeout: Optional[float],
        max_retries: Optional[int],
        usual_timeout: Optional[float] = None,
    ) -> Deadline:
        usual = self.timeout if usual_timeout is None else usual_timeout
        return Deadline(
            usual if timeout is None else timeout,
            self.max_retries if max_retries is None else max_retries,
        )


def _verified_tls(address: Address, ca_file: Optional[str]) -> Optional[ssl.SSLContext]:
    """There is no option that leaves out the verification."""
    if not address.is_tls:
        return None
    context = ssl.create_default_context(cafile=ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _not_set(name: str, what: str) -> str:
    return f"{name} is not set. Is {what} in the environment of this process?"
