<?php

declare(strict_types=1);

namespace Karba\Tests;

use Karba\KarbaException;
use Karba\Webhook;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/autoload.php';

/** The forms in which PHP and its frameworks give a request; clients/conformance tests the proofs. */
final class WebhookTest extends TestCase
{
    private const SECRETS = [
        'secret_hash' => 'le mot de la boutique',
        'signing_secret' => 'whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=',
    ];

    /** @return iterable<string, array{0: callable(array<string, string>): array<array-key, mixed>}> */
    public static function formsOfHeaders(): iterable
    {
        yield 'getallheaders()' => [static function (array $headers): array {
            $names = array_map(static function (string $name): string {
                return ucwords($name, '-');
            }, array_keys($headers));
            return array_combine($names, array_values($headers));
        }];
        yield '$_SERVER' => [static function (array $headers): array {
            $server = ['REQUEST_METHOD' => 'POST', 'argv' => ['x'], 'argc' => 1];
            foreach ($headers as $name => $value) {
                $server['HTTP_' . strtoupper(str_replace('-', '_', $name))] = $value;
            }
            return $server;
        }];
        yield 'a PSR-7 request' => [static function (array $headers): array {
            return array_map(static function (string $value): array {
                return [$value];
            }, $headers);
        }];
    }

    /**
     * @dataProvider formsOfHeaders
     * @param callable(array<string, string>): array<array-key, mixed> $form
     */
    public function testEveryFormOfHeadersIsRead(callable $form): void
    {
        ['headers' => $headers, 'body' => $body] = self::made();
        $event = Webhook::verify($body, $form($headers), self::SECRETS);
        self::assertSame('payment.succeeded', $event['event']);
        self::assertSame('order-7', $event['data']['external_reference']);
    }

    public function testAHeaderThatComesTwiceIsRefused(): void
    {
        ['headers' => $headers, 'body' => $body] = self::made();
        $twice = ['secret-hash' => ['x', self::SECRETS['secret_hash']]] + $headers;
        self::assertRefused('webhook_not_valid', $body, $twice, self::SECRETS);
        self::assertRefused(
            'webhook_not_valid',
            $body,
            $headers + ['HTTP_SECRET_HASH' => 'x'],
            self::SECRETS
        );
    }

    public function testAnEnvironmentWithoutSecretsIsAMistakeOfConfiguration(): void
    {
        ['headers' => $headers, 'body' => $body] = self::made();
        $secrets = ['secret_hash' => false, 'signing_secret' => false];
        self::assertRefused('configuration', $body, $headers, $secrets);
    }

    public function testATestEventOfEachKindHasItsStatus(): void
    {
        $statuses = [
            'payment.succeeded' => 'succeeded',
            'payment.failed' => 'failed',
            'payment.refunded' => 'refunded',
        ];
        foreach ($statuses as $kind => $status) {
            ['headers' => $headers, 'body' => $body] = Webhook::test(['event' => $kind], self::SECRETS);
            $event = Webhook::verify($body, $headers, self::SECRETS);
            self::assertSame([$kind, $status], [$event['event'], $event['data']['status']]);
            self::assertSame($kind === 'payment.failed', isset($event['data']['failure_reason']));
        }
        $old = new \DateTimeImmutable('-10 minutes');
        $made = Webhook::test(['event' => 'payment.succeeded'], self::SECRETS, $old);
        self::assertRefused('webhook_not_valid', $made['body'], $made['headers'], self::SECRETS);
        $this->expectExceptionMessage('names its kind');
        Webhook::test(['data' => []], self::SECRETS);
    }

    /** @return array{headers: array<string, string>, body: string} */
    private static function made(): array
    {
        $event = ['event' => 'payment.succeeded', 'data' => ['external_reference' => 'order-7']];
        return Webhook::test($event, self::SECRETS);
    }

    /**
     * @param array<array-key, mixed> $headers
     * @param array<string, mixed> $secrets
     */
    private static function assertRefused(string $code, string $body, array $headers, array $secrets): void
    {
        try {
            Webhook::verify($body, $headers, $secrets);
        } catch (KarbaException $error) {
            self::assertSame($code, $error->errorCode());
            return;
        }
        self::fail('the webhook was accepted');
    }
}
