"""The cursor of the feed in a file, and the iterators that use it."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import unittest
from typing import Any, List

from karba import AsyncKarba, CursorFile, KarbaError

from .raw_server import always, answer
from .test_client import KEY, ClientCase

EVENTS = [{"id": f"evt_{at}", "sequence": at, "event": "webhook.test"} for at in range(1, 4)]


def page(events: Any, after: int, has_more: bool = False) -> bytes:
    following = {"after": after, "replays_after": 0}
    feed = {"events": events, "replays": [], "has_more": has_more, "next": following}
    return answer(json.dumps(feed).encode())


class TestCursor(ClientCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.cursor = CursorFile(os.path.join(folder.name, "place"))

    def test_a_cursor_is_what_was_written_last(self) -> None:
        self.assertIsNone(self.cursor.read())
        for after in (1, 12_345):
            self.cursor.write(after)
            self.assertEqual(CursorFile(os.path.join(self.folder, "place")).read(), after)
        self.assertEqual(os.listdir(self.folder), ["place"])

    def test_a_write_that_fails_leaves_the_old_cursor(self) -> None:
        self.cursor.write(7)
        with self.assertRaises(UnicodeEncodeError):
            self.cursor.write("é")  # type: ignore[arg-type]
        self.assertEqual((self.cursor.read(), os.listdir(self.folder)), (7, ["place"]))

    def test_an_event_is_kept_when_the_next_one_is_asked_for(self) -> None:
        pages = [page(EVENTS[:2], 2, has_more=True), page(EVENTS[2:], 3)]
        for client, server in self.each_after(pages):
            self.cursor.write(0)
            events = client.events(after=self.cursor.read(), keep=self.cursor.write, follow=False)
            seen = [next(events)["sequence"]]
            self.assertEqual(self.cursor.read(), 0)
            seen.append(next(events)["sequence"])
            self.assertEqual(self.cursor.read(), 1)
            seen += [event["sequence"] for event in events]
            self.assertEqual((seen, self.cursor.read()), ([1, 2, 3], 3))
            asked = [request.split(b" ")[1] for request in server.requests]
            self.assertEqual(
                asked, [b"/api/v1/events?after=0&limit=100", b"/api/v1/events?after=2&limit=100"]
            )

    def test_a_feed_that_is_followed_asks_again_after_the_last_event(self) -> None:
        pages = [page(EVENTS[:1], 1), page([], 1), page(EVENTS[1:2], 2)]
        for client, server in self.each_after(pages):
            events = client.events(poll_every=0.01)
            self.assertEqual([next(events)["sequence"], next(events)["sequence"]], [1, 2])
            events.close()
            self.assertEqual(len(server.requests), 3)

    def test_keep_may_be_a_coroutine(self) -> None:
        server = self.serve(always(page(EVENTS, 3)))
        kept: List[int] = []

        async def keep(after: int) -> None:
            await asyncio.sleep(0)
            kept.append(after)

        async def read() -> None:
            client = AsyncKarba(secret_key=KEY, url=server.url)
            async for event in client.events(keep=keep, follow=False):
                self.assertEqual(len(kept), event["sequence"] - 1)

        asyncio.run(read())
        self.assertEqual(kept, [1, 2, 3])

    def test_events_that_were_removed_are_an_error_with_the_place_to_go_on(self) -> None:
        headers = "Svc-Error-Code: cursor_too_old\r\nSvc-Kept-After: 2\r\n"
        gone = answer(b'{"message":"Gone"}', "410 Gone", headers)
        for client, _server in self.each_after([gone]):
            with self.assertRaises(KarbaError) as caught:
                list(client.events(after=1))
            self.assertEqual(
                (caught.exception.code, caught.exception.kept_after), ("cursor_too_old", 2)
            )


class TestLists(ClientCase):
    def test_an_iterator_reads_every_page_with_the_same_filter(self) -> None:
        def rows(names: List[str], following: Any) -> bytes:
            data = [{"reference": name} for name in names]
            return answer(json.dumps({"data": data, "next": following}).encode())

        pages = [rows(["a", "b"], "n 1"), rows([], "n2"), rows(["c"], None)]
        for client, server in self.each_after(pages):
            found = client.each_payment({"status": "failed", "from": "2026-11-01"})
            self.assertEqual([row["reference"] for row in found], ["a", "b", "c"])
            asked = [request.split(b" ")[1].decode() for request in server.requests]
            first = "/api/v1/payments?status=failed&from=2026-11-01"
            self.assertEqual(asked, [first, f"{first}&after=n+1", f"{first}&after=n2"])

    def test_an_iterator_may_be_left_after_any_row(self) -> None:
        page = answer(json.dumps({"data": [{"entry": 1}, {"entry": 2}], "next": 2}).encode())
        for client, server in self.each_after([page]):
            entries = client.each_entry({"limit": 2})
            self.assertEqual(next(entries), {"entry": 1})
            entries.close()
            self.assertEqual(len(server.requests), 1)


if __name__ == "__main__":
    unittest.main()
