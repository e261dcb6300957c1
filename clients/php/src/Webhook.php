<?php

declare(strict_types=1);

namespace Karba;

/**
 * Verifies webhooks, and makes them for your own tests.
 *
 * `secret_hash` is the secret that you chose for the endpoint, `signing_secret` the `whsec_…` that
 * was shown when the endpoint was created. Give one of them, or both: then both proofs must agree.
 *
 * @phpstan-type Secrets array{
 *   secret_hash?: string|null|false,
 *   signing_secret?: string|null|false,
 *   tolerance_seconds?: int|null,
 * }
 * @phpstan-import-type Event from Facts
 */
final class Webhook
{
    private const TOLERANCE_SECONDS = 300;
    private const PREFIX = 'whsec_';

    /**
     * @param string $body the raw body: `file_get_contents('php://input')`
     * @param array<array-key, mixed> $headers `getallheaders()`, `$_SERVER`, or those of a PSR-7 request
     * @param Secrets $secrets
     * @return Event
     * @throws KarbaException with the code `webhook_not_valid` or `configuration`
     */
    public static function verify(string $body, array $headers, array $secrets): array
    {
        $secretHash = ($secrets['secret_hash'] ?? null) ?: null;
        $signingSecret = ($secrets['signing_secret'] ?? null) ?: null;
        if ($secretHash === null && $signingSecret === null) {
            throw self::misused(
                'Neither secret_hash nor signing_secret is set.'
                . ' Is one of them in the environment of this process?'
            );
        }
        if ($secretHash !== null && !self::isSame($secretHash, self::header($headers, 'secret-hash'))) {
            throw self::notValid('Its Secret-Hash is not yours.');
        }
        if ($signingSecret !== null) {
            $tolerance = $secrets['tolerance_seconds'] ?? self::TOLERANCE_SECONDS;
            self::verifySignature($body, $headers, $signingSecret, $tolerance);
        }
        $event = Json::decodeObject($body);
        if ($event === null) {
            throw self::notValid('Its body is not JSON.');
        }
        return $event;
    }

    /**
     * A webhook as the service sends it: post `body` with `headers` to your own receiver.
     *
     * @param array<string, mixed> $event a whole event, or what matters in one about a payment:
     *     `['event' => 'payment.succeeded', 'data' => ['external_reference' => 'order-7']]`
     * @param Secrets $secrets
     * @return array{method: 'POST', headers: array<string, string>, body: string}
     * @throws KarbaException
     */
    public static function test(array $event, array $secrets, ?\DateTimeInterface $signedAt = null): array
    {
        $signedAt = $signedAt ?? new \DateTimeImmutable();
        $whole = SampleEvent::around($event, $signedAt);
        $body = Json::encode($whole);
        $timestamp = (string) $signedAt->getTimestamp();
        $headers = [
            'content-type' => 'application/json',
            'webhook-id' => $whole['id'],
            'webhook-timestamp' => $timestamp,
        ];
        if (isset($secrets['secret_hash']) && $secrets['secret_hash'] !== false) {
            $headers['secret-hash'] = $secrets['secret_hash'];
        }
        if (isset($secrets['signing_secret']) && $secrets['signing_secret'] !== false) {
            $key = self::keyOf($secrets['signing_secret']);
            $signature = self::signature($key, $whole['id'], $timestamp, $body);
            $headers['webhook-signature'] = 'v1,' . base64_encode($signature);
        }
        return ['method' => 'POST', 'headers' => $headers, 'body' => $body];
    }

    /** @param array<array-key, mixed> $headers */
    private static function verifySignature(
        string $body,
        array $headers,
        string $secret,
        int $toleranceSeconds
    ): void {
        $key = self::keyOf($secret);
        $timestamp = self::header($headers, 'webhook-timestamp');
        $isTime = preg_match('/^\d{1,12}\z/', $timestamp) === 1;
        if (!$isTime || abs(time() - (int) $timestamp) > $toleranceSeconds) {
            throw self::notValid('It was signed too long ago, or this machine’s clock is wrong.');
        }
        $expected = self::signature($key, self::header($headers, 'webhook-id'), $timestamp, $body);
        // While a secret is rolled there are two signatures.
        foreach (explode(' ', self::header($headers, 'webhook-signature')) as $each) {
            $given = strncmp($each, 'v1,', 3) === 0 ? base64_decode(substr($each, 3), true) : false;
            if ($given !== false && hash_equals($expected, $given)) {
                return;
            }
        }
        throw self::notValid('Its signature is not right.');
    }

    /** The id, the time and the body, as Standard Webhooks v1 signs them. */
    private static function signature(string $key, string $id, string $timestamp, string $body): string
    {
        return hash_hmac('sha256', "$id.$timestamp.$body", $key, true);
    }

    private static function keyOf(string $secret): string
    {
        $key = strncmp($secret, self::PREFIX, strlen(self::PREFIX)) === 0
            ? base64_decode(substr($secret, strlen(self::PREFIX)), true)
            : false;
        if ($key === false || $key === '') {
            throw self::misused('signing_secret begins with ' . self::PREFIX . ': was it copied whole?');
        }
        return $key;
    }

    /** In constant time for texts of any length. */
    private static function isSame(string $known, string $given): bool
    {
        return hash_equals(hash('sha256', $known, true), hash('sha256', $given, true));
    }

    /**
     * Empty unless there is exactly one.
     *
     * @param array<array-key, mixed> $headers
     */
    private static function header(array $headers, string $name): string
    {
        $found = [];
        foreach ($headers as $each => $value) {
            $plain = str_replace('_', '-', strtolower((string) $each));
            if ($plain === $name || $plain === "http-$name") {
                $found = array_merge($found, (array) $value);
            }
        }
        return count($found) === 1 && is_string($found[0]) ? $found[0] : '';
    }

    private static function notValid(string $message): KarbaException
    {
        return new KarbaException(['code' => KarbaException::WEBHOOK_NOT_VALID, 'message' => $message]);
    }

    private static function misused(string $message): KarbaException
    {
        return new KarbaException(['code' => KarbaException::CONFIGURATION, 'message' => $message]);
    }
}
