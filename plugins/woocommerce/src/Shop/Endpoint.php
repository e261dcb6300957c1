<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\Client;
use Karba\Facts;
use Karba\KarbaException;

/** The shop's own webhook endpoint at Karba. */
final class Endpoint
{
    private const CALL = ['timeout_ms' => 15000, 'max_retries' => 2];

    public static function address(string $environment): string
    {
        return add_query_arg(['wc-api' => WebhookReceiver::NAME, 'environment' => $environment], home_url('/'));
    }

    /**
     * @param string $key may be another one than the shop's: in live, a key that manages webhooks has
     *     no other right
     * @throws KarbaException if the key may not, or Karba does not answer
     */
    public static function register(string $environment, string $key): void
    {
        $client = new Client(['secret_key' => $key, 'url' => Settings::url()]);
        $url = self::address($environment);
        try {
            $endpoint = $client->createWebhookEndpoint(['url' => $url, 'events' => self::kinds()], self::CALL);
        } catch (KarbaException $error) {
            $existing = $error->existingReference();
            if ($error->errorCode() !== 'endpoint_url_taken' || $existing === null) {
                throw $error;
            }
            // Its secret was lost with an answer, or with the settings of an earlier installation.
            $endpoint = $client->rollWebhookSecret($existing, [], self::CALL);
        }
        Settings::keepEndpoint($environment, [
            'id' => $endpoint['id'],
            'url' => $url,
            'signing_secret' => $endpoint['signing_secret'],
        ]);
    }

    /**
     * Karba sends a test, if the shop's key may ask for it: in live it may not.
     *
     * @throws KarbaException
     */
    public static function test(string $environment): void
    {
        $id = Settings::endpoint($environment)['id'] ?? '';
        if ($id !== '' && $environment === 'sandbox') {
            KarbaPayments::client($environment)->testWebhookEndpoint($id, self::CALL);
        }
    }

    /** @throws KarbaException */
    public static function remove(string $environment): void
    {
        $id = Settings::endpoint($environment)['id'] ?? '';
        if ($id !== '') {
            KarbaPayments::client($environment)->deleteWebhookEndpoint($id, self::CALL);
        }
    }

    /** The merchant made the endpoint in the dashboard. */
    public static function adopt(string $environment, string $signingSecret): void
    {
        Settings::keepEndpoint($environment, [
            'id' => '',
            'url' => self::address($environment),
            'signing_secret' => $signingSecret,
        ]);
    }

    /** @return list<string> the events about the money of an order */
    private static function kinds(): array
    {
        return array_values(array_filter(Facts::EVENT_KIND, static function (string $kind): bool {
            return preg_match('/^(payment|refund)\./', $kind) === 1;
        }));
    }
}
