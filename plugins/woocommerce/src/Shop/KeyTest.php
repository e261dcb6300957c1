<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\KarbaException;

/** Tries the key, and prepares what a shop needs before its first payment. */
final class KeyTest
{
    /**
     * Karba's answers are noted for the settings page.
     *
     * @param string $webhookKey the key that may register a webhook, if it is another one
     */
    public static function run(string $environment, string $webhookKey = ''): void
    {
        if (Settings::url() === '' || Settings::key($environment) === '') {
            return;
        }
        try {
            $client = KarbaPayments::client($environment);
            $account = $client->showAccount(['timeout_ms' => 10000, 'max_retries' => 1]);
            Settings::keepAccount($environment, $account);
            (new StoredFeed($client, $account['account_id']))->begin();
            StoredState::write("key-$environment", '');
        } catch (KarbaException $error) {
            Settings::keepAccount($environment, []);
            StoredState::write("key-$environment", $error->getMessage());
            return;
        }
        self::register($environment, $account, $webhookKey);
    }

    /** The page shows its arrival as the last webhook. */
    public static function tryWebhook(string $environment): void
    {
        try {
            Endpoint::test($environment);
        } catch (KarbaException $error) {
            StoredState::write("endpoint-$environment", $error->getMessage());
        }
    }

    /** @param array<string, mixed> $account */
    private static function register(string $environment, array $account, string $webhookKey): void
    {
        $url = Endpoint::address($environment);
        $known = Settings::endpoint($environment);
        $isKnown = ($known['url'] ?? '') === $url && ($known['signing_secret'] ?? '') !== '';
        if ($isKnown && in_array($url, array_column($account['endpoints'], 'url'), true)) {
            StoredState::write("endpoint-$environment", '');
            return;
        }
        try {
            Endpoint::register($environment, $webhookKey === '' ? Settings::key($environment) : $webhookKey);
            StoredState::write("endpoint-$environment", '');
            self::tryWebhook($environment);
        } catch (KarbaException $error) {
            StoredState::write("endpoint-$environment", $error->getMessage());
        }
    }
}
