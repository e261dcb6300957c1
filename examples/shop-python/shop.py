# A small shop: order, pay, webhook, deliver once. No packages; orders and deliveries are in SQLite, where one statement makes one delivery.
import base64, hashlib, hmac, json, os, sqlite3, time, uuid
from html import escape
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.parse import parse_qs
from urllib.request import Request, urlopen

PRICE = 2500
# Nothing works without these: an empty secret would be the key of a webhook that anybody can sign.
NEEDED = ["KARBA_URL", "SECRET_KEY", "SECRET_HASH", "SIGNING_SECRET"]
if missing := [name for name in NEEDED if not os.environ.get(name)]:
    raise SystemExit(f"Set {', '.join(missing)}.")
SECRET_KEY = os.environ["SECRET_KEY"]
DATA = os.environ.get("DATA", ".")
# How often a request is sent whose answer was lost: one transaction_id is one payment, however often it is sent.
ATTEMPTS = 4
FORM = f"""<form method="post" action="/orders"><p>A pagne, {PRICE} F CFA</p>
<p><label>Name <input name="name" required></label></p><p><label>Mobile money <input name="msisdn" required></label></p>
<button>Pay</button></form>"""


def orders():
    return sqlite3.connect(os.path.join(DATA, "orders.db"), isolation_level=None, timeout=10)


def make_tables():
    orders().execute("create table if not exists orders (id text primary key, amount integer, status text, why text)")
    orders().execute("create table if not exists deliveries (order_id text primary key)")


def karba(method, path, body):
    headers = {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {SECRET_KEY}",
        "Svc-Target-Environment": "live" if SECRET_KEY.startswith("sk_live_") else "sandbox",
        "Svc-Payment-Type": "mobile",
    }
    url = os.environ["KARBA_URL"] + "/api/v1" + path
    with urlopen(Request(url, json.dumps(body).encode(), headers, method=method), timeout=15) as answer:
        return json.load(answer)


def place_order(name, msisdn):
    id = str(uuid.uuid4())
    orders().execute("insert into orders values (?, ?, 'pending', '')", (id, PRICE))
    order = {
        "amount": PRICE,
        "country": "NE",
        "currency": "XOF",
        "msisdn": msisdn,
        "transaction_id": id,
        "customer_name": name,
    }
    for attempt in range(1, ATTEMPTS + 1):
        try:
            karba("POST", "/payments", order)
            break
        except HTTPError as error:
            # An earlier request of ours was recorded.
            if "Svc-Existing-Reference" in error.headers:
                break
            # Only the service itself refuses: an error page of a proxy proves nothing.
            if error.code < 500 and "Svc-Error-Code" in error.headers:
                fail(id, json.load(error)["message"])
                break
        except (OSError, HTTPException, ValueError):
            pass  # No answer, or half of one.
        if attempt < ATTEMPTS:
            time.sleep(1)
    # Without an outcome the order stays pending: if there is a payment, its webhook arrives.
    return id


def fail(id, why):
    orders().execute("update orders set status = 'failed', why = ? where id = ? and status = 'pending'", (why, id))


def deliver(id, amount):
    """One write, which succeeds once: a crash or a repeated event can neither lose a delivery nor make a second one."""
    orders().execute(
        "insert or ignore into deliveries select id from orders where id = ? and amount = ?",
        (id, amount),
    )


def is_from_karba(headers, body):
    secret_hash = headers.get("Secret-Hash", "").encode()
    if not hmac.compare_digest(secret_hash, os.environ["SECRET_HASH"].encode()):
        return False
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(os.environ["SIGNING_SECRET"].removeprefix("whsec_"))
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected, signature.encode()) for signature in given)


def take_event(event):
    payment = event["data"]
    if event["event"] == "payment.succeeded":
        deliver(payment["external_reference"], payment["amount"])
    elif event["event"] == "payment.failed":
        fail(payment["external_reference"], payment.get("failure_reason", ""))


class Shop(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/hook":
            is_genuine = is_from_karba(self.headers, body)
            if is_genuine:
                take_event(json.loads(body))
            self.answer(204 if is_genuine else 401)
        elif self.path == "/orders":
            form = parse_qs(body.decode())
            id = place_order(form.get("name", [""])[0], form.get("msisdn", [""])[0])
            self.answer(303, location=f"/orders/{id}")
        else:
            self.answer(404)

    def do_GET(self):
        if self.path == "/":
            return self.answer(200, FORM)
        order = orders().execute(
            "select id, case when order_id is null then status else 'delivered' end, why"
            " from orders left join deliveries on order_id = id where id = ?",
            (self.path.removeprefix("/orders/"),),
        ).fetchone()
        if order is None:
            return self.answer(404)
        self.answer(200, f"<p>Order {order[0]}: <b>{order[1]}</b> {escape(order[2])}</p>")

    def answer(self, status, html="", location=None):
        self.send_response(status)
        if location is not None:
            self.send_header("Location", location)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        if html:
            self.wfile.write(f'<!doctype html><meta charset="utf-8"><title>Shop</title>{html}'.encode())


make_tables()
port = int(os.environ.get("PORT", "3000"))
print(f"http://127.0.0.1:{port}", flush=True)
ThreadingHTTPServer(("127.0.0.1", port), Shop).serve_forever()
