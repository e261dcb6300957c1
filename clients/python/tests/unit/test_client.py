"""The client against a server that writes raw bytes: answers, deadlines, limits and secrets."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import pickle
import socket
import ssl
import time
import traceback
import unittest
from typing import Any, Dict, List, Optional, get_type_hints

import karba
from karba import AsyncKarba, Karba, KarbaError, request_id_of
from karba.facts import API_ERROR_CODES, EVENT_KINDS, PAYMENT_STATUSES
from karba import facts

from ..both_clients import CLIENTS
from .raw_server import RawServer, Respond, always, answer, in_turn

KEY = "sk_sandbox_notToBeSeen"
ORDER: Any = {
    "amount": 1500,
    "country": "NE",
    "currency": "XOF",
    "msisdn": "+227 96 12 34 56",
    "transaction_id": "order-1",
    "customer_name": "Awa Diallo",
}
CREATED = {"status": "pending", "reference": "ref1", "public_reference": "P-1"}
READ = {**CREATED, "external_reference": "order-1", "amount": 1500, "msisdn": ORDER["msisdn"]}
TAKEN = answer(
    b'{"status":"failed","message":"External Reference Not Valid"}',
    "422 Unprocessable Entity",
    "Svc-Error-Code: external_reference_taken\r\nSvc-Existing-Reference: ref1\r\n",
)


def json_answer(value: object, status: str = "200 OK", headers: str = "") -> bytes:
    return answer(json.dumps(value).encode(), status, headers)


class ClientCase(unittest.TestCase):
    def serve(self, respond: Respond, tls: Optional[ssl.SSLContext] = None) -> RawServer:
        server = RawServer(respond, tls)
        self.addCleanup(server.close)
        return server

    def each_client(self, url: str, **options: Any) -> Any:
        for make in CLIENTS.values():
            yield make(secret_key=KEY, url=url, **options)

    def each_after(self, answers: List[bytes]) -> Any:
        for make in CLIENTS.values():
            server = self.serve(in_turn(answers))
            yield make(secret_key=KEY, url=server.url), server

    def refused(self, code: str, call: Any) -> KarbaError:
        with self.assertRaises(KarbaError) as caught:
            call()
        self.assertEqual(caught.exception.code, code)
        return caught.exception


class TestAnswers(ClientCase):
    def test_a_request_has_the_headers_of_the_contract(self) -> None:
        server = self.serve(always(json_answer(READ)))
        for client in self.each_client(f"{server.url}/pay/api/v1/"):
            client.read_payment("order 1/é")
        self.assertEqual(len(server.requests), 2)
        for request in server.requests:
            lines = request.decode().split("\r\n")
            self.assertEqual(lines[0], "GET /pay/api/v1/payments/order%201%2F%C3%A9 HTTP/1.1")
            for line in [
                f"Host: 127.0.0.1:{server.port}",
                "Content-Type: application/json",
                f"Authorization: Bearer {KEY}",
                "Svc-Target-Environment: sandbox",
                "Svc-Payment-Type: mobile",
            ]:
                self.assertIn(line, lines)
            self.assertRegex(request.decode(), r"User-Agent: karba-python/\d+\.\d+\.\d+ python/3\.")

    def test_an_answer_may_come_in_any_pieces_and_in_chunks(self) -> None:
        body = json.dumps(READ).encode()
        half = len(body) // 2
        chunks = b"".join(
            b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:])
        )
        head = b"HTTP/1.1 200 OK\r\nX-Request-Id: req_1\r\n"
        chunked = head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"
        until_closed = head + b"\r\n" + body

        def in_pieces(raw: bytes) -> Respond:
            def respond(connection: socket.socket, _request: bytes) -> None:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for at in range(len(raw)):
                    connection.sendall(raw[at : at + 1])

            return respond

        for raw in (answer(body), chunked, until_closed):
            server = self.serve(in_pieces(raw))
            for client in self.each_client(server.url):
                found = client.read_payment("order-1")
                self.assertEqual(found, READ)
                self.assertEqual(request_id_of(found), "req_1")
                self.assertNotIn("req_1", json.dumps(found))

    def test_an_answer_is_whole_although_the_server_keeps_the_connection_open(self) -> None:
        body = json.dumps(READ).encode()
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        for raw in (answer(body), head + chunked):

            def respond(connection: socket.socket, _request: bytes, raw: bytes = raw) -> None:
                connection.sendall(raw)
                connection.recv(1)

            server = self.serve(respond)
            for client in self.each_client(server.url, timeout=60):
                started = time.monotonic()
                self.assertEqual(client.read_payment("order-1"), READ)
                self.assertLess(time.monotonic() - started, 5)

    def test_the_addresses_of_a_page_and_of_a_receipt_are_part_of_the_answer(self) -> None:
        headers = "Svc-Receipt-Url: https://k/r\r\nSvc-Page-Url: https://k/p\r\n"
        server = self.serve(always(json_answer(READ, headers=headers)))
        for client in self.each_client(server.url):
            found = client.read_payment("order-1")
            self.assertEqual(
                (found["receipt_url"], found["page_url"]), ("https://k/r", "https://k/p")
            )

    def test_a_refusal_has_its_facts(self) -> None:
        headers = (
            "Svc-Error-Code: cursor_too_old\r\nSvc-Error-Param: after\r\nSvc-Error-Hint: Do this.\r\n"
            "Svc-Kept-After: 7\r\nSvc-Removed-Until: 2026-11-01T00:00:00Z\r\n"
        )
        server = self.serve(always(json_answer({"message": "Gone."}, "410 Gone", headers)))
        for client in self.each_client(server.url):
            error = self.refused("cursor_too_old", lambda: client.list_events({"after": "1"}))
            self.assertEqual(str(error), "Gone (cursor_too_old, after). Do this.")
            self.assertEqual(
                (error.status, error.param, error.hint, error.request_id, error.kept_after),
                (410, "after", "Do this.", "req_1", 7),
            )
            self.assertEqual(error.removed_until, "2026-11-01T00:00:00Z")
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((str(copy), copy.kept_after), (str(error), 7))
        self.assertEqual(len(server.requests), 2)

    def test_a_code_that_is_not_known_is_an_unexpected_answer(self) -> None:
        headers = "Svc-Error-Code: of_tomorrow\r\n"
        server = self.serve(always(json_answer([], "400 Bad Request", headers)))
        for client in self.each_client(server.url):
            error = self.refused("unexpected_answer", client.show_account)
            self.assertEqual(str(error), "The service answered 400 (unexpected_answer).")

    def test_a_redirect_is_not_followed(self) -> None:
        other = self.serve(always(json_answer(READ)))
        for status in (
            "301 Moved",
            "302 Found",
            "307 Temporary Redirect",
            "308 Permanent Redirect",
        ):
            raw = answer(b"", status, f"Location: {other.url}/api/v1/account\r\n")
            server = self.serve(always(raw))
            for client in self.each_client(server.url):
                error = self.refused("unexpected_answer", client.show_account)
                self.assertEqual(error.status, int(status[:3]))
        self.assertEqual(other.requests, [])


class TestLimits(ClientCase):
    def test_a_call_ends_at_its_deadline_although_bytes_keep_coming(self) -> None:
        def drip(connection: socket.socket, _request: bytes) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while True:
                connection.sendall(b"X-Drip: 1\r\n")
                time.sleep(0.02)

        server = self.serve(drip)
        for client in self.each_client(server.url):
            started = time.monotonic()
            error = self.refused("no_answer", lambda: client.show_account(timeout=0.4))
            self.assertLess(time.monotonic() - started, 5)
            self.assertEqual(
                str(error),
                f"The service at 127.0.0.1:{server.port} could not be reached, or its answer was"
                " lost (no_answer).",
            )

    def test_a_call_ends_at_its_deadline_when_nothing_is_answered(self) -> None:
        def stay_silent(connection: socket.socket, _request: bytes) -> None:
            connection.recv(1)

        server = self.serve(stay_silent)
        for client in self.each_client(server.url, timeout=0.3):
            started = time.monotonic()
            self.refused("outcome_unknown", lambda: client.create_payment(ORDER))
            self.assertLess(time.monotonic() - started, 5)

    def test_an_answer_over_the_limit_is_refused_and_not_asked_for_again(self) -> None:
        head = b"HTTP/1.1 200 OK\r\nX-Request-Id: req_1\r\n"
        large = b'{"data": "' + b"x" * 300_000 + b'"}'
        endless_head = b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 200_000
        for raw in (answer(large), head + b"\r\n" + large, endless_head):
            server = self.serve(always(raw))
            for client in self.each_client(server.url, max_answer_bytes=100_000):
                error = self.refused("unexpected_answer", client.read_balance)
                self.assertIn("100000 bytes", str(error))
            self.assertEqual(len(server.requests), 2)

    def test_a_payment_whose_answer_is_too_large_is_read_before_anything_else(self) -> None:
        large = json_answer({"x": "x" * 300_000})
        for name, make in CLIENTS.items():
            with self.subTest(client=name):
                server = self.serve(in_turn([large, json_answer(READ)]))
                client = make(secret_key=KEY, url=server.url, max_answer_bytes=100_000)
                self.assertEqual(client.create_payment(ORDER)["reference"], "ref1")
                methods = [request.split(b" ")[0] for request in server.requests]
                self.assertEqual(methods, [b"POST", b"GET"])

    def test_max_retries_says_how_often_a_call_is_repeated(self) -> None:
        for own, of_call, expected in ((0, None, 1), (2, None, 3), (5, 1, 2)):
            for name, make in CLIENTS.items():
                with self.subTest(client=name):
                    server = self.serve(always(b""))
                    client = make(secret_key=KEY, url=server.url, max_retries=own)
                    self.refused("no_answer", lambda: client.show_account(max_retries=of_call))
                    self.assertEqual(len(server.requests), expected)

    def test_a_task_that_is_cancelled_closes_its_connection(self) -> None:
        closed: "List[bytes]" = []

        def respond(connection: socket.socket, _request: bytes) -> None:
            try:
                closed.append(connection.recv(1))
            except ConnectionResetError:
                closed.append(b"")

        server = self.serve(respond)

        async def cancel() -> None:
            client = AsyncKarba(secret_key=KEY, url=server.url)
            task = asyncio.ensure_future(client.create_payment(ORDER))
            while len(server.requests) == 0:
                await asyncio.sleep(0.005)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            while len(closed) == 0:
                await asyncio.sleep(0.005)

        asyncio.run(asyncio.wait_for(cancel(), 10))
        self.assertEqual((closed, len(server.requests)), ([b""], 1))


class TestCreations(ClientCase):
    def test_a_lost_answer_is_read_back_before_anything_is_repeated(self) -> None:
        whole = json_answer(CREATED)
        for loss in (b"", whole[:-5], whole[:30], answer(b"", "502 Bad Gateway")):
            for client, server in self.each_after([loss, json_answer(READ)]):
                self.assertEqual(client.create_payment(ORDER), CREATED)
                lines = [request.split(b"\r\n")[0] for request in server.requests]
                self.assertEqual(
                    lines,
                    [
                        b"POST /api/v1/payments HTTP/1.1",
                        b"GET /api/v1/payments/order-1 HTTP/1.1",
                    ],
                )

    def test_the_422_of_its_own_repetition_is_a_success(self) -> None:
        missing = json_answer({"message": "Payment Not Found"}, "404 Not Found")
        answers = [b"", missing, TAKEN, json_answer(READ)]
        for client, server in self.each_after(answers):
            self.assertEqual(client.create_payment(ORDER)["reference"], "ref1")
            methods = [request.split(b" ")[0] for request in server.requests]
            self.assertEqual(methods, [b"POST", b"GET", b"POST", b"GET"])
            self.assertTrue(server.requests[3].startswith(b"GET /api/v1/payments/ref1 "))

    def test_a_422_without_a_lost_answer_is_an_error_that_names_the_payment(self) -> None:
        for client, server in self.each_after([TAKEN]):
            error = self.refused("external_reference_taken", lambda: client.create_payment(ORDER))
            self.assertEqual((error.status, error.existing_reference), (422, "ref1"))
            self.assertEqual(len(server.requests), 1)

    def test_a_payment_of_another_order_is_never_taken_for_this_one(self) -> None:
        changes: "List[Any]" = [{"amount": 1501}, {"msisdn": "96"}, {"external_reference": "x"}]
        for change in changes:
            missing = json_answer({"message": "Payment Not Found"}, "404 Not Found")
            answers = [b"", missing, TAKEN, json_answer({**READ, **change})]
            for client, _server in self.each_after(answers):
                self.refused("external_reference_taken", lambda: client.create_payment(ORDER))

    def test_what_a_proxy_answers_proves_nothing_about_a_creation(self) -> None:
        page = b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\n<h1>"
        for client, server in self.each_after([page, json_answer(READ)]):
            self.assertEqual(client.create_payment(ORDER), CREATED)
            self.assertEqual(len(server.requests), 2)
        for client, _server in self.each_after([page]):
            call = lambda: client.create_payment(ORDER, max_retries=1)
            error = self.refused("outcome_unknown", call)
            self.assertEqual(error.status, 404)

    def test_a_key_that_ends_after_a_lost_answer_proves_nothing(self) -> None:
        ended = json_answer({"message": "Unauthorized"}, "401 Unauthorized")
        for client, _server in self.each_after([b"", ended]):
            call = lambda: client.create_payment(ORDER, max_retries=1)
            self.refused("outcome_unknown", call)
        for client, _server in self.each_after([ended]):
            self.refused("unexpected_answer", lambda: client.create_payment(ORDER))

    def test_an_amount_may_be_written_as_a_decimal_number(self) -> None:
        for amount in ("1500", "1500.00"):
            for client, _server in self.each_after([b"", json_answer(READ)]):
                self.assertEqual(client.create_payment({**ORDER, "amount": amount}), CREATED)

    def test_a_503_of_the_service_is_repeated_without_a_read(self) -> None:
        later = answer(b"", "503 Service Unavailable", "Retry-After: 0\r\n")
        for client, server in self.each_after([later, json_answer(CREATED)]):
            self.assertEqual(client.create_payment(ORDER), CREATED)
            methods = [request.split(b" ")[0] for request in server.requests]
            self.assertEqual(methods, [b"POST", b"POST"])

    def test_a_retry_after_beyond_the_deadline_is_the_503(self) -> None:
        later = answer(b"", "503 Service Unavailable", "Retry-After: 60\r\n")
        for client, server in self.each_after([later]):
            error = self.refused("unexpected_answer", lambda: client.create_payment(ORDER))
            self.assertEqual((error.status, len(server.requests)), (503, 1))

    def test_a_refund_in_part_keeps_its_name_when_its_answer_is_lost(self) -> None:
        refund = json_answer({"reference": "r1"})
        for client, server in self.each_after([b"", refund]):
            client.refund_payment("order-1", {"amount": 500})
            bodies = [json.loads(request.split(b"\r\n\r\n")[1]) for request in server.requests]
            self.assertEqual(bodies[0], bodies[1])
            self.assertRegex(bodies[0]["refund_id"], r"^[0-9a-f]{32}$")
        for client, server in self.each_after([refund]):
            client.refund_payment("order-1")
            self.assertTrue(server.requests[0].endswith(b"Content-Length: 0\r\n\r\n"))

    def test_what_is_not_json_is_refused_before_it_is_sent(self) -> None:
        for client, server in self.each_after([json_answer(CREATED)]):
            amounts: "List[object]" = [float("nan"), object()]
            for amount in amounts:
                bad: Any = {**ORDER, "amount": amount}
                self.refused("configuration", lambda: client.create_payment(bad))
            self.assertEqual(server.requests, [])


class TestSecrets(ClientCase):
    def test_the_secret_key_is_never_shown(self) -> None:
        for client in self.each_client("http://127.0.0.1:9", max_retries=0):
            with self.assertRaises(KarbaError) as caught:
                client.create_payment(ORDER)
            error = caught.exception
            shown = traceback.TracebackException.from_exception(error, capture_locals=True)
            # The traceback as error reports show it, with the variables of every frame; a test's
            # own frames hold the key.
            frames = [frame for frame in _frames(shown) if "/tests/" not in frame.filename]
            self.assertGreater(len(frames), 3)
            texts = [json.dumps(frame.locals) for frame in frames]
            texts += [repr(client), str(error), repr(error), repr(vars(client))]
            for text in texts:
                self.assertNotIn("notToBeSeen", text)
            with self.assertRaises(TypeError):
                pickle.dumps(client)

    def test_a_key_or_address_that_cannot_be_right_is_refused(self) -> None:
        for make in (Karba, AsyncKarba):
            for key in ("pk_live_x", "sk_live_", "sk_sandbox_…", f"{KEY}\n", f" {KEY}"):
                error = self.refused(
                    "configuration", lambda: make(secret_key=key, url="http://127.0.0.1:9")
                )
                self.assertIn("was it copied whole?", str(error))
                self.assertNotIn("notToBeSeen", str(error))
            for url in (
                "karba.example",
                "http://",
                "http://a b/",
                "ftp://karba.example",
                "http://user:word@karba.example",
                "http://karba.example:x/",
                "http://karba.example/?a=b",
                "http://karba.example/\r\nX: y",
            ):
                error = self.refused("configuration", lambda: make(secret_key=KEY, url=url))
                self.assertTrue(str(error).startswith("url is the http or https address"))

    def test_a_setting_that_the_environment_lacks_is_named(self) -> None:
        for missing in (None, ""):
            for make in (Karba, AsyncKarba):
                error = self.refused(
                    "configuration", lambda: make(secret_key=missing, url="http://127.0.0.1:9")
                )
                self.assertTrue(str(error).startswith("secret_key is not set. Is the secret key"))
                error = self.refused("configuration", lambda: make(secret_key=KEY, url=missing))
                self.assertTrue(str(error).startswith("url is not set. Is the address of the"))

    def test_a_name_that_would_change_the_path_is_refused(self) -> None:
        for client in self.each_client("http://127.0.0.1:9"):
            for name in ("", ".", ".."):
                for method in ("read_payment", "refund_payment", "read_link", "read_settlement"):
                    call = getattr(client, method)
                    self.refused("configuration", lambda: call(name))


@unittest.skipUnless("TLS_CERT" in os.environ, "the Node test gives it a certificate")
class TestTls(ClientCase):
    def test_a_certificate_is_verified(self) -> None:
        cert, key = os.environ["TLS_CERT"], os.environ["TLS_KEY"]
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(cert, key)
        server = self.serve(always(json_answer(READ)), tls)
        url = f"https://localhost:{server.port}"
        for client in self.each_client(url, ca_file=cert):
            self.assertEqual(client.read_payment("order-1"), READ)
        self.assertEqual(len(server.requests), 2)
        for client in self.each_client(url):
            error = self.refused("no_answer", lambda: client.read_payment("order-1"))
            self.assertIsInstance(error.__cause__, ssl.SSLCertVerificationError)
        for client in self.each_client(f"https://127.0.0.1:{server.port}", ca_file=cert):
            error = self.refused("no_answer", lambda: client.read_payment("order-1"))
            self.assertIsInstance(error.__cause__, ssl.SSLCertVerificationError)
        self.assertEqual(len(server.requests), 2)


class TestShape(unittest.TestCase):
    def test_both_clients_have_the_same_methods_with_the_same_words(self) -> None:
        blocking, asynchronous = _methods(Karba), _methods(AsyncKarba)
        self.assertEqual(list(blocking), list(asynchronous))
        for name, method in blocking.items():
            other = asynchronous[name]
            self.assertEqual(inspect.getdoc(method), inspect.getdoc(other), name)
            own, others = inspect.signature(method), inspect.signature(other)
            self.assertEqual(own.parameters, others.parameters, name)
            is_iterator = "Iterator" in str(own.return_annotation)
            is_known = is_iterator or name == "sign_order"
            self.assertEqual(inspect.iscoroutinefunction(other), not is_known, name)

    def test_there_is_a_method_for_each_operation_and_an_iterator_for_each_list(self) -> None:
        operations = os.environ.get("OPERATIONS", "createPayment").split(",")
        for operation in operations:
            self.assertTrue(hasattr(Karba, _snake(operation)), operation)
        # A page of the feed has an iterator of another name, and endpoints come in one answer.
        others = ("list_events", "list_webhook_endpoints")
        for name in _methods(Karba):
            if name.startswith("list_") and name not in others:
                iterator = f"each_{name[5:]}".replace("entries", "entry").rstrip("s")
                self.assertTrue(hasattr(Karba, iterator), iterator)

    def test_every_name_that_the_package_offers_exists(self) -> None:
        for name in karba.__all__:
            self.assertTrue(hasattr(karba, name), name)

    def test_the_types_can_be_read_when_the_program_runs(self) -> None:
        self.assertIn("status", get_type_hints(facts.Payment))
        self.assertIn("from", get_type_hints(facts.Statement))
        self.assertIn("succeeded", PAYMENT_STATUSES)
        self.assertIn("payment.succeeded", EVENT_KINDS)
        self.assertIn("msisdn_not_valid", API_ERROR_CODES)


def _methods(client: type) -> Dict[str, Any]:
    return {
        name: member
        for name, member in vars(client).items()
        if not name.startswith("_") and callable(member)
    }


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _frames(shown: Any) -> List[Any]:
    frames = list(shown.stack)
    for inner in (shown.__cause__, shown.__context__):
        if inner is not None:
            frames += _frames(inner)
    return frames


if __name__ == "__main__":
    unittest.main()
