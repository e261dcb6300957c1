<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\WooCommerce\Deciding\Amount;

/** What is wrong, each in one sentence that says what to do. */
final class Health
{
    private const LATE_SECONDS = 900;

    /** @return list<string> */
    public static function problems(): array
    {
        $environment = Settings::environment();
        $problems = array_merge(self::ofShop(), self::ofKey($environment));
        if (Settings::account($environment) !== []) {
            $problems = array_merge($problems, self::ofWebhook($environment), self::ofCatchUp());
        }
        return $problems;
    }

    /** @return list<string> */
    private static function ofShop(): array
    {
        $problems = [];
        if (get_woocommerce_currency() !== Amount::CURRENCY) {
            $problems[] = sprintf(
                /* translators: 1: currency of the shop, 2: XOF */
                __('The shop’s currency is %1$s. Karba takes %2$s only: the payment method is hidden.', 'karba'),
                get_woocommerce_currency(),
                Amount::CURRENCY
            );
        } elseif (wc_get_price_decimals() !== 0) {
            $problems[] = __('Prices have decimals. Set the number of decimals to 0 (WooCommerce → Settings → General): orders with centimes cannot be paid.', 'karba');
        }
        if (Settings::otherHome() !== null) {
            $problems[] = sprintf(
                /* translators: %s: address */
                __('This site was set up as %s: is it a copy? The payment method is hidden so that a copy does not handle the payments of the original. If the site has moved, save these settings once more.', 'karba'),
                Settings::otherHome()
            );
        }
        return $problems;
    }

    /** @return list<string> */
    private static function ofKey(string $environment): array
    {
        if (Settings::url() === '') {
            return [__('Enter the address of Karba, as its operator gave it to you.', 'karba')];
        }
        if (Settings::key($environment) === '') {
            return [$environment === 'live'
                ? __('Enter the live secret key (Karba’s dashboard → Developers → API keys).', 'karba')
                : __('Enter the sandbox secret key (Karba’s dashboard → Developers → API keys).', 'karba')];
        }
        $error = StoredState::read("key-$environment");
        if ($error === null) {
            return [__('The key was not tested yet: save the settings.', 'karba')];
        }
        if ($error !== '') {
            return [__('Karba refused the key, or does not answer:', 'karba') . " $error"];
        }
        $account = Settings::account($environment);
        $problems = [];
        if (($account['status'] ?? '') !== 'validated') {
            $problems[] = __('The account is not validated yet: the operator of the service does it. Payments are refused until then.', 'karba');
        }
        $states = array_column($account['operators'] ?? [], 'state');
        if (!in_array('up', $states, true)) {
            $problems[] = __('No mobile money network is connected and up in this account.', 'karba');
        }
        return $problems;
    }

    /** @return list<string> */
    private static function ofWebhook(string $environment): array
    {
        $endpoint = Settings::endpoint($environment);
        if (($endpoint['signing_secret'] ?? '') === '') {
            return [sprintf(
                /* translators: 1: address, 2: reason */
                __('Karba does not tell this shop about payments yet; orders are found by the check every five minutes. In Karba’s dashboard, add the webhook endpoint %1$s, and paste its signing secret below. %2$s', 'karba'),
                Endpoint::address($environment),
                (string) StoredState::read("endpoint-$environment")
            )];
        }
        $problems = [];
        if (($endpoint['url'] ?? '') !== Endpoint::address($environment)) {
            $problems[] = __('The address of this shop has changed since its webhook was registered: save the settings to register it again.', 'karba');
        }
        foreach (Settings::account($environment)['endpoints'] ?? [] as $known) {
            if (($known['url'] ?? '') === ($endpoint['url'] ?? '') && $known['failing_since'] !== null) {
                $problems[] = sprintf(
                    /* translators: %s: time */
                    __('Karba could not deliver webhooks to this shop since %s: does a firewall or a “coming soon” page block them?', 'karba'),
                    $known['failing_since']
                );
            }
        }
        $refusedAge = StoredState::ageSeconds("refused-$environment");
        $goodAge = StoredState::ageSeconds("webhook-$environment");
        if ($refusedAge !== null && ($goodAge === null || $refusedAge < $goodAge)) {
            $problems[] = __('The last webhook was refused:', 'karba') . ' '
                . (string) StoredState::read("refused-$environment");
        }
        return $problems;
    }

    /** @return list<string> */
    private static function ofCatchUp(): array
    {
        $age = StoredState::ageSeconds('catch-up');
        if ($age !== null && $age > self::LATE_SECONDS) {
            return [sprintf(
                /* translators: %d: minutes */
                __('The check every five minutes last ran %d minutes ago: WP-Cron does not run. Visits start it too; better call wp-cron.php every five minutes from the server.', 'karba'),
                intdiv($age, 60)
            )];
        }
        $said = (string) StoredState::read('catch-up');
        return $said === '' ? [] : [__('The last check for payments failed:', 'karba') . " $said"];
    }
}
