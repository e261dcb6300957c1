"""The error of the client: a refusal of the API, or the reason for a missing answer."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, Optional, Tuple, Union, cast

from .facts import API_ERROR_CODES, ApiErrorCode

#: The client's own codes:
#: `no_answer`: no answer before the deadline.
#: `unexpected_answer`: an answer without a code that this client knows, such as that of a proxy,
#: or one that is too large.
#: `outcome_unknown`: the payment may exist; read it by its transaction_id before anything else.
#: `configuration`: a wrong option, such as a secret key that was not copied whole.
#: `webhook_not_valid`: the webhook is forged, changed or too old.
ClientErrorCode = Literal[
    "no_answer",
    "unexpected_answer",
    "outcome_unknown",
    "configuration",
    "webhook_not_valid",
]

KarbaErrorCode = Union[ApiErrorCode, ClientErrorCode]


def api_error_code(code: Optional[str]) -> KarbaErrorCode:
    return cast(ApiErrorCode, code) if code in API_ERROR_CODES else "unexpected_answer"


class KarbaError(Exception):
    """
    Its text is `Bad Request: Incorrect MSISDN (msisdn_not_valid, msisdn). This number is not
    valid: …`. It never holds a key.
    """

    #: The code of the API, or one of the client's own.
    code: KarbaErrorCode
    #: The field or header at fault, if it is a single one.
    param: Optional[str]
    #: What to do, in one English sentence of the service.
    hint: Optional[str]
    #: The HTTP status; None without an answer.
    status: Optional[int]
    #: Quote it to the operator of the service.
    request_id: Optional[str]
    #: The payment that already has the transaction_id or order_reference.
    existing_reference: Optional[str]
    #: With `cursor_too_old`: the last event that the service removed, to go on after.
    kept_after: Optional[int]
    #: With `cursor_too_old`: when that event was written.
    removed_until: Optional[str]

    def __init__(
        self,
        code: KarbaErrorCode,
        message: str,
        *,
        param: Optional[str] = None,
        hint: Optional[str] = None,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        existing_reference: Optional[str] = None,
        kept_after: Optional[int] = None,
        removed_until: Optional[str] = None,
        cause: Optional[BaseException] = None,
    ) -> None:
        about = code if param is None else f"{code}, {param}"
        sentence = message[:-1] if message.endswith(".") else message
        super().__init__(f"{sentence} ({about})." + ("" if hint is None else f" {hint}"))
        self.code = code
        self.param = param
        self.hint = hint
        self.status = status
        self.request_id = request_id
        self.existing_reference = existing_reference
        self.kept_after = kept_after
        self.removed_until = removed_until
        self.__cause__ = cause
        self._message = message

    def __reduce__(self) -> Tuple[Any, ...]:
        """A task queue may send an error to another process."""
        names = (
            "param",
            "hint",
            "status",
            "request_id",
            "existing_reference",
            "kept_after",
            "removed_until",
        )
        facts = {name: getattr(self, name) for name in names}
        return partial(KarbaError, **facts), (self.code, self._message)


def misused(message: str) -> KarbaError:
    return KarbaError("configuration", message)
