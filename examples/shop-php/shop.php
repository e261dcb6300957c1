<?php
// A small shop: order, pay, webhook, deliver once. No packages; orders are files, changed under a lock.
declare(strict_types=1);

const PRICE = 2500;
define('DATA', getenv('DATA') ?: '.');

/** Changes an order under a lock; the function gets the order and returns the new one, or null for no change. */
function change_order(string $id, callable $change): void
{
    $file = fopen(DATA . "/order-$id.json", 'c+');
    flock($file, LOCK_EX);
    $changed = $change(json_decode(stream_get_contents($file) ?: 'null', true));
    if ($changed !== null) {
        rewind($file);
        ftruncate($file, 0);
        fwrite($file, json_encode($changed));
        fflush($file);
    }
    fclose($file);
}

function read_order(string $id): ?array
{
    $file = DATA . "/order-$id.json";
    return preg_match('/^[0-9a-f]{32}$/', $id) && is_file($file) ? json_decode(file_get_contents($file), true) : null;
}

/** Returns the HTTP status, or 0 without an answer, and the body. */
function karba(string $method, string $path, array $body): array
{
    $environment = str_starts_with(getenv('SECRET_KEY'), 'sk_live_') ? 'live' : 'sandbox';
    $answer = @file_get_contents(getenv('KARBA_URL') . '/api/v1' . $path, false, stream_context_create(['http' => [
        'method' => $method,
        'header' => [
            'Content-Type: application/json',
            'Authorization: Bearer ' . getenv('SECRET_KEY'),
            "Svc-Target-Environment: $environment",
            'Svc-Payment-Type: mobile',
        ],
        'content' => json_encode($body),
        'ignore_errors' => true,
        'timeout' => 15,
    ]]));
    preg_match('/ (\d{3})/', $http_response_header[0] ?? '', $status);
    return [(int) ($status[1] ?? 0), json_decode($answer ?: 'null', true)];
}

function place_order(string $name, string $msisdn): string
{
    $id = bin2hex(random_bytes(16));
    $order = ['id' => $id, 'amount' => PRICE, 'status' => 'pending', 'why' => ''];
    change_order($id, fn () => $order);
    [$status, $answer] = karba('POST', '/payments', [
        'amount' => PRICE,
        'country' => 'NE',
        'currency' => 'XOF',
        'msisdn' => $msisdn,
        'transaction_id' => $id,
        'customer_name' => $name,
    ]);
    // Without an answer, or with a 5xx, the order stays pending: if there is a payment, its webhook arrives.
    if ($status >= 400 && $status < 500) {
        change_order($id, fn () => ['status' => 'failed', 'why' => $answer['message']] + $order);
    }
    return $id;
}

function is_from_karba(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!hash_equals(getenv('SECRET_HASH'), $_SERVER['HTTP_SECRET_HASH'] ?? '')) {
        return false;
    }
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr(getenv('SIGNING_SECRET'), strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    $matching = fn (string $signature): bool => hash_equals($expected, $signature);
    return array_filter(explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? ''), $matching) !== [];
}

function take_event(array $event): void
{
    $payment = $event['data'];
    $known = read_order($payment['external_reference'] ?? '');
    if ($known === null || $known['amount'] !== $payment['amount']) {
        return;
    }
    change_order($payment['external_reference'], function (array $order) use ($event, $payment): ?array {
        if ($event['event'] === 'payment.succeeded' && $order['status'] !== 'delivered') {
            file_put_contents(DATA . '/deliveries.log', $order['id'] . "\n", FILE_APPEND | LOCK_EX);
            return ['status' => 'delivered', 'why' => ''] + $order;
        }
        if ($event['event'] === 'payment.failed' && $order['status'] === 'pending') {
            return ['status' => 'failed', 'why' => $payment['failure_reason'] ?? ''] + $order;
        }
        return null;
    });
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$route = $_SERVER['REQUEST_METHOD'] . ' ' . $path;
if ($route === 'POST /hook') {
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
<p>Order <?= $order['id'] ?>: <b><?= $order['status'] ?></b> <?= htmlspecialchars($order['why']) ?></p>
<?php else: ?>
<form method="post" action="/orders"><p>A pagne, <?= PRICE ?> F CFA</p>
<p><label>Name <input name="name" required></label></p><p><label>Mobile money <input name="msisdn" required></label></p>
<button>Pay</button></form>
<?php endif ?>
