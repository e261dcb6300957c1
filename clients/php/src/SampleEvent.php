<?php

declare(strict_types=1);

namespace Karba;

/** A whole event around the fields that a test of a merchant names. */
final class SampleEvent
{
    private const STATUSES = [
        'payment.succeeded' => 'succeeded',
        'payment.failed' => 'failed',
        'payment.refunded' => 'refunded',
    ];

    /**
     * @param array<string, mixed> $event
     * @return array<string, mixed>
     * @throws KarbaException
     */
    public static function around(array $event, \DateTimeInterface $at): array
    {
        $kind = $event['event'] ?? null;
        if (!is_string($kind)) {
            throw new KarbaException([
                'code' => KarbaException::CONFIGURATION,
                'message' => 'A test event names its kind, such as payment.succeeded.',
            ]);
        }
        $data = $event['data'] ?? [];
        if (isset(self::STATUSES[$kind])) {
            $data += self::payment($kind, $at);
        }
        $event['data'] = (object) $data;
        return $event + [
            'id' => 'evt_test_' . bin2hex(random_bytes(8)),
            'created_at' => self::iso($at),
            'environment' => 'sandbox',
        ];
    }

    /** @return array<string, mixed> */
    private static function payment(string $kind, \DateTimeInterface $at): array
    {
        return [
            'public_reference' => 'XF5X-ZEBB-9',
            'external_reference' => 'order-2026-0001',
            'reference' => '60dvs8n73hy897smacktapcy',
            'status' => self::STATUSES[$kind],
            'msisdn' => '+227 96 12 34 56',
            'amount' => 1500,
        ] + ($kind === 'payment.failed'
            ? ['failure_reason' => 'declined']
            : ['validated_at' => self::iso($at)]);
    }

    private static function iso(\DateTimeInterface $at): string
    {
        return gmdate('Y-m-d\TH:i:s', $at->getTimestamp()) . '.' . $at->format('v') . 'Z';
    }
}
