<?php
// A small shop: order, pay, webhook, deliver once. No packages; each order and each delivery is a file.
declare(strict_types=1);

const PRICE = 2500;
define('DATA', getenv('DATA') ?: '.');

/** How often a request is sent whose answer was lost: one transaction_id is one payment, however often it is sent. */
const ATTEMPTS = 4;

@mkdir(DATA . '/deliveries');

/** Nothing works without it: an empty secret would be the key of a webhook that anybody can sign. */
function setting(string $name): string
{
    return getenv($name) ?: throw new RuntimeException("Set $name.");
}

/** The old file stays until the new one is whole. */
function save_order(array $order): void
{
    $file = DATA . "/order-{$order['id']}.json";
    $new = tempnam(DATA, 'new-');
    file_put_contents($new, json_encode($order));
    rename($new, $file);
}

function read_order(string $id): ?array
{
    $file = DATA . "/order-$id.json";
    return preg_match('/^[0-9a-f]{32}$/', $id) && is_file($file) ? json_decode(file_get_contents($file), true) : null;
}

/** Reads the order again: while a request waited for its answer, an event may have changed it. */
function fail_order(string $id, string $why): void
{
    $order = read_order($id);
    if ($order['status'] === 'pending') {
        save_order(['status' => 'failed', 'why' => $why] + $order);
    }
}

function delivery_of(string $id): string
{
    return DATA . "/deliveries/$id";
}

/** One write, which succeeds once: a crash or a repeated event can neither lose a delivery nor make a second one. */
function deliver(string $id): void
{
    if (@fopen(delivery_of($id), 'x') === false && !is_file(delivery_of($id))) {
        throw new RuntimeException("The delivery of $id could not be written.");
    }
}

/** Returns the body and the headers, with an empty list of headers without an answer. */
function karba(string $method, string $path, array $body): array
{
    $environment = str_starts_with(setting('SECRET_KEY'), 'sk_live_') ? 'live' : 'sandbox';
    $answer = @file_get_contents(setting('KARBA_URL') . '/api/v1' . $path, false, stream_context_create(['http' => [
        'method' => $method,
        'header' => [
            'Content-Type: application/json',
            'Authorization: Bearer ' . setting('SECRET_KEY'),
            "Svc-Target-Environment: $environment",
            'Svc-Payment-Type: mobile',
        ],
        'content' => json_encode($body),
        'ignore_errors' => true,
        'timeout' => 15,
    ]]));
    return [json_decode($answer ?: 'null', true), $http_response_header ?? []];
}

function place_order(string $name, string $msisdn): string
{
    $id = bin2hex(random_bytes(16));
    save_order(['id' => $id, 'amount' => PRICE, 'status' => 'pending', 'why' => '']);
    $order = [
        'amount' => PRICE,
        'country' => 'NE',
        'currency' => 'XOF',
        'msisdn' => $msisdn,
        'transaction_id' => $id,
        'customer_name' => $name,
    ];
    for ($attempt = 1; $attempt <= ATTEMPTS; $attempt++) {
        [$answer, $headers] = karba('POST', '/payments', $order);
        // An earlier request of ours was recorded.
        $isRecorded = isset($answer['reference']) || preg_grep('/^svc-existing-reference:/i', $headers) !== [];
        // Only the service itself refuses: an error page of a proxy proves nothing.
        $isRefused = preg_grep('/^svc-error-code:/i', $headers) && preg_match('/ 4\d\d/', $headers[0]);
        if (!$isRecorded && $isRefused) {
            fail_order($id, $answer['message'] ?? '');
        }
        if ($isRecorded || $isRefused) {
            break;
        }
        sleep($attempt < ATTEMPTS ? 1 : 0);
    }
    // Without an outcome the order stays pending: if there is a payment, its webhook arrives.
    return $id;
}

function is_from_karba(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!hash_equals(setting('SECRET_HASH'), $_SERVER['HTTP_SECRET_HASH'] ?? '')) {
        return false;
    }
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr(setting('SIGNING_SECRET'), strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    $matching = fn (string $signature): bool => hash_equals($expected, $signature);
    return array_filter(explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? ''), $matching) !== [];
}

function take_event(array $event): void
{
    $payment = $event['data'];
    $order = read_order($payment['external_reference'] ?? '');
    if ($order === null || $order['amount'] !== $payment['amount']) {
        return;
    }
    if ($event['event'] === 'payment.succeeded') {
        deliver($order['id']);
    }
    if ($event['event'] === 'payment.failed') {
        fail_order($order['id'], $payment['failure_reason'] ?? '');
    }
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$route = $_SERVER['REQUEST_METHOD'] . ' ' . $path;
if ($route === 'POST /hook') {
    // Where PHP displays errors, it answers an exception with 200: the event would not come again.
    http_response_code(500);
    $body = file_get_contents('php://input');
    $isGenuine = is_from_karba($body);
    if ($isGenuine) {
        take_event(json_decode($body, true));
    }
    http_response_code($isGenuine ? 204 : 401);
    exit;
}
if ($route === 'POST /orders') {
    header('Location: /orders/' . place_order($_POST['name'] ?? '', $_POST['msisdn'] ?? ''), true, 303);
    exit;
}
$order = read_order(str_replace('/orders/', '', $path));
if ($order === null && $path !== '/') {
    http_response_code(404);
    exit;
}
?>
<!doctype html><meta charset="utf-8"><title>Shop</title>
<?php if ($order !== null): ?>
<p>Order <?= $order['id'] ?>: <b><?= is_file(delivery_of($order['id'])) ? 'delivered' : $order['status'] ?></b> <?= htmlspecialchars($order['why']) ?></p>
<?php else: ?>
<form method="post" action="/orders"><p>A pagne, <?= PRICE ?> F CFA</p>
<p><label>Name <input name="name" required></label></p><p><label>Mobile money <input name="msisdn" required></label></p>
<button>Pay</button></form>
<?php endif ?>
