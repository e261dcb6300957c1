"""Webhooks and signed orders: what the service signs is verified in the test of the kit."""

from __future__ import annotations

import base64
import hmac
import json
import unittest
from datetime import datetime, timedelta, timezone
from typing import Any, Dict
from unittest.mock import patch

from karba import KarbaError, sign_webhook, verify_webhook

HASH = "le mot de la boutique"
OLD, NEW = ("whsec_" + base64.b64encode(bytes([byte]) * 32).decode() for byte in (1, 2))
BOTH: Any = {"secret_hash": HASH, "signing_secret": NEW}
EVENT = {"event": "payment.succeeded", "data": {"external_reference": "été 🛒", "amount": 2500}}


class TestWebhooks(unittest.TestCase):
    def refused(self, code: str, body: Any, headers: Any, **secrets: Any) -> KarbaError:
        with self.assertRaises(KarbaError) as caught:
            verify_webhook(body, headers, **secrets)
        self.assertEqual(caught.exception.code, code)
        return caught.exception

    def test_a_signed_webhook_is_verified_by_either_proof_or_both(self) -> None:
        made = sign_webhook(EVENT, **BOTH)
        secrets: Any
        for secrets in (BOTH, {"secret_hash": HASH}, {"signing_secret": NEW}):
            bodies: "list[Any]" = [made.body, made.body.decode(), bytearray(made.body)]
            for body in bodies:
                event: Any = verify_webhook(body, made.headers, **secrets)
                self.assertEqual(event["data"]["amount"], 2500)
                self.assertEqual(event["data"]["status"], "succeeded")

    def test_either_secret_verifies_while_it_is_rolled(self) -> None:
        made = sign_webhook(EVENT, **BOTH)
        old = sign_webhook(
            json.loads(made.body),
            signing_secret=OLD,
            signed_at=datetime.fromtimestamp(int(made.headers["webhook-timestamp"]), timezone.utc),
        )
        signatures = [each.headers["webhook-signature"] for each in (made, old)]
        for order in (signatures, signatures[::-1]):
            headers = {**made.headers, "webhook-signature": " ".join(order)}
            for secret in (OLD, NEW):
                verify_webhook(made.body, headers, signing_secret=secret)

    def test_headers_may_have_any_case(self) -> None:
        made = sign_webhook(EVENT, **BOTH)
        for change in (str.upper, str.title):
            headers = {change(name): value for name, value in made.headers.items()}
            verify_webhook(made.body, headers, **BOTH)

    def test_a_changed_or_old_webhook_is_refused(self) -> None:
        made = sign_webhook(EVENT, **BOTH)
        changes: "list[Dict[str, str]]" = [
            {"secret-hash": HASH + "!"},
            {"secret-hash": ""},
            {"webhook-id": "evt_2"},
            {"webhook-timestamp": str(int(made.headers["webhook-timestamp"]) + 1)},
            {"webhook-timestamp": "²"},
            {"webhook-signature": ""},
            {"webhook-signature": "v1,"},
            {"webhook-signature": "v1,é"},
            {"webhook-signature": "v1,\ud800"},
            {"secret-hash": "\ud800"},
            {"webhook-id": "\ud800"},
        ]
        for change in changes:
            self.refused("webhook_not_valid", made.body, {**made.headers, **change}, **BOTH)
        self.refused("webhook_not_valid", made.body + b" ", made.headers, **BOTH)
        now = datetime.now(timezone.utc)
        for minutes in (-10, 10):
            other = sign_webhook(EVENT, signed_at=now + timedelta(minutes=minutes), **BOTH)
            self.refused("webhook_not_valid", other.body, other.headers, **BOTH)
            verify_webhook(other.body, other.headers, tolerance_seconds=900, **BOTH)

    def test_a_body_that_is_no_event_is_refused(self) -> None:
        headers = {"secret-hash": HASH}
        for body in (b"", b"[]", b"{", b"\xff", b"[" * 100_000):
            self.refused("webhook_not_valid", body, headers, secret_hash=HASH)

    def test_a_parsed_body_and_a_missing_secret_are_mistakes_of_the_program(self) -> None:
        made = sign_webhook(EVENT, **BOTH)
        error = self.refused("configuration", json.loads(made.body), made.headers, **BOTH)
        self.assertIn("the raw body", str(error))
        secrets: "list[Any]" = [
            {},
            {"secret_hash": "", "signing_secret": ""},
            {"signing_secret": "whsec_"},
            {"signing_secret": "whsec_é"},
            {"signing_secret": "x"},
        ]
        for each in secrets:
            self.refused("configuration", made.body, made.headers, **each)

    def test_every_comparison_is_in_constant_time(self) -> None:
        made = sign_webhook(EVENT, **BOTH)
        twice = f"v1,AAAA {made.headers['webhook-signature']} v1,BBBB"
        with patch("hmac.compare_digest", wraps=hmac.compare_digest) as same:
            verify_webhook(made.body, {**made.headers, "webhook-signature": twice}, **BOTH)
        # The hash, and each of the three signatures although the second is right.
        self.assertEqual(same.call_count, 4)


if __name__ == "__main__":
    unittest.main()
