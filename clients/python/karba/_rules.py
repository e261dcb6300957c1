"""
What may be repeated, and when. Each rule is a generator that asks for a request or a pause and is
given the outcome: the blocking and the asyncio client run the same rules.
"""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass
from typing import Any, Callable, Generator, Optional, TypeVar, Union

from ._http import Answered, Deadline, Lost, Outcome, Refused, Request, TryLater
from .errors import KarbaError

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 5.0
#: With the pauses between them, about half a minute.
MAX_RETRIES = 7

LONG_POLL_SECONDS = 25
LEAST_BETWEEN_SECONDS = 2.0
#: The deadline of the last call goes beyond the timeout by this.
LEAST_CALL_SECONDS = 5.0


@dataclass(frozen=True)
class Send:
    request: Request
    deadline: Deadline


@dataclass(frozen=True)
class Pause:
    seconds: float


Result = TypeVar("Result")
Rule = Generator[Union[Send, Pause], Optional[Outcome], Result]
#: An operation that waits for its deadline.
Call = Callable[[Deadline], Rule[Result]]


def _send(request: Request, deadline: Deadline) -> Rule[Outcome]:
    outcome = yield Send(request, deadline)
    if outcome is None:
        raise RuntimeError("A request was not sent.")
    return outcome


def pause_after(attempt: int, outcome: Union[TryLater, Lost]) -> float:
    """Exponential backoff with jitter, or the Retry-After of the service if that is longer."""
    backoff = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** (attempt - 1))
    usual = backoff * (0.5 + random.random() / 2)
    return max(usual, outcome.after_seconds) if isinstance(outcome, TryLater) else usual


def repeat(request: Request, deadline: Deadline) -> Rule[Any]:
    """Retries an idempotent request until it is answered or refused."""
    attempt = 0
    while True:
        attempt += 1
        outcome = yield from _send(request, deadline)
        if isinstance(outcome, Answered):
            return outcome.body
        if isinstance(outcome, Refused):
            raise outcome.error
        if isinstance(outcome, Lost) and not outcome.may_repeat:
            raise outcome.error
        pause = pause_after(attempt, outcome)
        if attempt > deadline.max_retries or pause >= deadline.left():
            raise outcome.error
        yield Pause(pause)


@dataclass(frozen=True)
class Creation:
    request: Request
    #: Reads by the name of this creation.
    look_at: Request
    #: Reads the record that exists already, after a 422.
    look_at_existing: Callable[[Optional[str]], Request]
    #: None if the name belongs to another record.
    recognise: Callable[[Any], Optional[Any]]


def create_safely(creation: Creation, deadline: Deadline) -> Rule[Any]:
    """
    Creates once although answers may be lost. The service never records one name twice, so this
    reads by that name before it retries, and treats the 422 of its own retry as success.
    """
    is_lost = False
    attempt = 0
    while True:
        attempt += 1
        outcome = yield from _send(creation.request, deadline)
        if isinstance(outcome, Answered):
            return outcome.body
        if isinstance(outcome, Refused):
            if _is_proof(outcome.error, is_lost):
                return (yield from _ours_or_raise(creation, outcome.error, is_lost, deadline))
            outcome = Lost(outcome.error)
        is_lost = is_lost or isinstance(outcome, Lost)
        pause = pause_after(attempt, outcome)
        if attempt > deadline.max_retries or pause >= deadline.left():
            raise _unknown(outcome.error) if is_lost else outcome.error
        yield Pause(pause)
        if is_lost:
            # A failed read proves nothing; the retry decides.
            look = yield from _send(creation.look_at, deadline)
            found = creation.recognise(look.body) if isinstance(look, Answered) else None
            if found is not None:
                return found


def _is_proof(error: KarbaError, is_lost: bool) -> bool:
    """
    Whether nothing was recorded. An answer without the service's own id was written by a proxy; a
    key that ends after a lost answer says nothing about what was recorded before.
    """
    is_of_service = error.request_id is not None
    return is_of_service and not (is_lost and error.status in (401, 403))


def _ours_or_raise(
    creation: Creation, error: KarbaError, is_lost: bool, deadline: Deadline
) -> Rule[Any]:
    """After a lost answer, a taken name may be our own."""
    if not is_lost or error.status != 422:
        raise error
    try:
        body = yield from repeat(creation.look_at_existing(error.existing_reference), deadline)
    except KarbaError as cause:
        raise error if cause.status == 404 else _unknown(cause)
    found = creation.recognise(body)
    if found is None:
        raise error
    return found


def _unknown(cause: KarbaError) -> KarbaError:
    return KarbaError(
        "outcome_unknown",
        "It may have been recorded: read it by its transaction_id before you try again.",
        status=cause.status,
        request_id=cause.request_id,
        cause=cause,
    )


def wait_for_payment(read: Callable[[int], Request], whole: Deadline) -> Rule[Any]:
    """
    Waits for a payment's outcome by long polls, at least two seconds apart in case the service
    answers at once.
    """
    while True:
        asked_at = time.monotonic()
        left = whole.left()
        seconds = min(LONG_POLL_SECONDS, math.floor(left))
        deadline = Deadline(left + LEAST_CALL_SECONDS, whole.max_retries)
        payment = yield from repeat(read(seconds), deadline)
        is_open = payment.get("status") in ("initiated", "pending")
        if not is_open or whole.left() < 0.001:
            return payment
        took = time.monotonic() - asked_at
        yield Pause(min(whole.left(), max(0.0, LEAST_BETWEEN_SECONDS - took)))
