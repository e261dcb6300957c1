"""The driver of this client for clients/conformance: its README has the commands."""

from __future__ import annotations

import base64
import itertools
import json
import os
import sys
import traceback
from datetime import datetime
from typing import Any, Callable, Dict, Optional

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import karba
from tests.both_clients import CLIENTS

Command = Dict[str, Any]

METHODS = {
    "createPayment": "create_payment",
    "readPayment": "read_payment",
    "listPayments": "list_payments",
    "refundPayment": "refund_payment",
    "readRefund": "read_refund",
    "listRefunds": "list_refunds",
    "createLink": "create_link",
    "readLink": "read_link",
    "cancelLink": "cancel_link",
    "listEvents": "list_events",
    "readBalance": "read_balance",
    "listEntries": "list_entries",
    "readStatement": "read_statement",
    "downloadStatement": "download_statement",
    "downloadMonth": "download_month",
    "listSettlements": "list_settlements",
    "readSettlement": "read_settlement",
    "confirmSettlement": "confirm_settlement",
    "showAccount": "show_account",
    "createWebhookEndpoint": "create_webhook_endpoint",
    "listWebhookEndpoints": "list_webhook_endpoints",
    "changeWebhookEndpoint": "change_webhook_endpoint",
    "rollWebhookSecret": "roll_webhook_secret",
    "deleteWebhookEndpoint": "delete_webhook_endpoint",
    "testWebhookEndpoint": "test_webhook_endpoint",
}

ITERATORS = {
    "listPayments": "each_payment",
    "listRefunds": "each_refund",
    "listEntries": "each_entry",
    "listSettlements": "each_settlement",
    "readSettlement": "each_settlement_line",
}


class Driver:
    def __init__(self, make_client: Callable[..., Any]) -> None:
        self._make_client = make_client
        self._client: Any = None

    def reply(self, command: Command) -> Command:
        command_id = command["id"]
        try:
            answer = getattr(self, f"do_{command['do']}")(command)
            request_id = karba.request_id_of(answer)
            if isinstance(answer, bytes):
                answer = {"file": base64.b64encode(answer).decode()}
            return {"id": command_id, "answer": answer, "request_id": request_id}
        except karba.KarbaError as error:
            return {"id": command_id, "error": _facts_of(error)}
        except Exception:
            return {"id": command_id, "fault": traceback.format_exc()}

    def do_open(self, command: Command) -> object:
        options = _options(command)
        self._client = self._make_client(
            secret_key=command.get("secret_key"), url=command.get("url"), **options
        )
        return {"environment": self._client.environment}

    def do_call(self, command: Command) -> object:
        method = getattr(self._client, METHODS[command["operation"]])
        return method(*_arguments(command), **_options(command))

    def do_each(self, command: Command) -> object:
        rows = getattr(self._client, ITERATORS[command["operation"]])(*_arguments(command))
        return {"rows": list(itertools.islice(rows, command.get("most")))}

    def do_wait(self, command: Command) -> object:
        return self._client.wait_for_payment(command["name"], **_options(command))

    def do_events(self, command: Command) -> object:
        """Stops after `take` events as a crash would: the last one was not handled to its end."""
        kept: Optional[int] = None

        def keep(after: int) -> None:
            nonlocal kept
            kept = after

        follow = command.get("follow", False)
        options = {"after": command.get("after"), "keep": keep, "follow": follow}
        events = self._client.events(**options, poll_every=0.05)
        return {"events": list(itertools.islice(events, command.get("take"))), "kept": kept}

    def do_verify_webhook(self, command: Command) -> object:
        tolerance = command.get("tolerance_seconds")
        return karba.verify_webhook(
            base64.b64decode(command.get("body", "")),
            command.get("headers", {}),
            **_secrets(command),
            **({} if tolerance is None else {"tolerance_seconds": tolerance}),
        )

    def do_test_webhook(self, command: Command) -> object:
        written = command["signed_at"].replace("Z", "+00:00")
        signed_at = datetime.fromisoformat(written)
        made = karba.sign_webhook(command["event"], signed_at=signed_at, **_secrets(command))
        return {"headers": made.headers, "body": made.body.decode()}

    def do_sign_order(self, command: Command) -> object:
        return {"signed": self._client.sign_order(command["order"])}

    def do_show(self, _command: Command) -> object:
        client = self._client
        return {
            "shown": [repr(client), str(client), f"{client}", repr(vars(client)), repr([client])]
        }


def _arguments(command: Command) -> Any:
    """The name, the body and the query, as far as the operation has them."""
    given = [command.get(each) for each in ("name", "body", "query")]
    return [each for each in given if each is not None]


def _options(command: Command) -> Any:
    timeout_ms, max_retries = command.get("timeout_ms"), command.get("max_retries")
    return {
        **({} if timeout_ms is None else {"timeout": timeout_ms / 1000}),
        **({} if max_retries is None else {"max_retries": max_retries}),
    }


def _secrets(command: Command) -> Any:
    return {each: command.get(each) for each in ("secret_hash", "signing_secret")}


def _facts_of(error: karba.KarbaError) -> Command:
    names = (
        "code",
        "param",
        "hint",
        "status",
        "request_id",
        "existing_reference",
        "kept_after",
        "removed_until",
    )
    shown = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    facts = {name: getattr(error, name) for name in names}
    return {**facts, "message": str(error), "shown": shown}


def main(kind: str) -> None:
    driver = Driver(CLIENTS[kind])
    for line in sys.stdin.buffer:
        print(json.dumps(driver.reply(json.loads(line))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "blocking")
