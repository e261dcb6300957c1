<?php

declare(strict_types=1);

namespace Karba;

/** Signs an order for the attribute `data-order` of the button. A page cannot change it. */
final class SignedOrder
{
    private const PURPOSE = 'karba order v1';
    private const LIFETIME_SECONDS = 3600;

    /**
     * @param array<string, mixed> $order
     * @throws KarbaException
     */
    public static function sign(SecretKey $key, array $order): string
    {
        $expiresAt = gmdate('Y-m-d\TH:i:s\Z', time() + self::LIFETIME_SECONDS);
        $text = Json::encodeBody($order + ['expires_at' => $expiresAt]);
        $payload = rtrim(strtr(base64_encode($text), '+/', '-_'), '=');
        $orderKey = hash_hmac('sha256', self::PURPOSE, $key->reveal(), true);
        return $payload . '.' . hash_hmac('sha256', $payload, $orderKey);
    }
}
