<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

/** What the merchant chose, and what the plugin noted about it. */
final class Settings
{
    public const GATEWAY = 'karba';
    public const OPTION = 'woocommerce_karba_settings';
    private const SHOP_OPTION = 'karba_shop';
    private const ENDPOINTS_OPTION = 'karba_endpoints';
    private const ACCOUNTS_OPTION = 'karba_accounts';
    public const SECRET_OPTIONS = [
        self::OPTION,
        self::ENDPOINTS_OPTION,
        self::ACCOUNTS_OPTION,
    ];

    /** @return array<string, mixed> */
    private static function chosen(): array
    {
        $chosen = get_option(self::OPTION);
        return is_array($chosen) ? $chosen : [];
    }

    public static function text(string $name, string $default = ''): string
    {
        $value = self::chosen()[$name] ?? $default;
        return is_string($value) ? $value : $default;
    }

    public static function isEnabled(): bool
    {
        return self::text('enabled') === 'yes';
    }

    public static function environment(): string
    {
        return self::text('environment', 'sandbox') === 'live' ? 'live' : 'sandbox';
    }

    public static function isLive(): bool
    {
        return self::environment() === 'live';
    }

    /** A key in wp-config.php comes before the one in the database. */
    public static function key(string $environment): string
    {
        $constant = 'KARBA_' . strtoupper($environment) . '_KEY';
        return defined($constant) ? (string) constant($constant) : self::text("{$environment}_key");
    }

    public static function url(): string
    {
        return defined('KARBA_URL') ? (string) constant('KARBA_URL') : self::text('url');
    }

    /** `prompt`, `page` or `both`. */
    public static function ways(): string
    {
        return self::text('ways', 'both');
    }

    public static function isSandboxForAll(): bool
    {
        return self::text('sandbox_for_all') === 'yes';
    }

    /**
     * The name of this shop in its payments: two shops of one account have orders with the same
     * numbers.
     */
    public static function shopId(): string
    {
        $shop = get_option(self::SHOP_OPTION);
        if (!is_array($shop)) {
            add_option(self::SHOP_OPTION, ['id' => bin2hex(random_bytes(4)), 'home' => home_url()], '', false);
            wp_cache_delete(self::SHOP_OPTION, 'options');
            $shop = get_option(self::SHOP_OPTION);
        }
        return (string) $shop['id'];
    }

    /** The address for which the shop was set up, if it is another one: this may be a copy. */
    public static function otherHome(): ?string
    {
        $shop = get_option(self::SHOP_OPTION);
        $home = is_array($shop) ? (string) ($shop['home'] ?? '') : '';
        return $home === '' || $home === home_url() ? null : $home;
    }

    public static function adoptHome(): void
    {
        update_option(self::SHOP_OPTION, ['id' => self::shopId(), 'home' => home_url()], false);
    }

    /** @return array<string, string> id, url, signing_secret */
    public static function endpoint(string $environment): array
    {
        $all = get_option(self::ENDPOINTS_OPTION);
        $endpoint = is_array($all) ? ($all[$environment] ?? []) : [];
        return is_array($endpoint) ? $endpoint : [];
    }

    /** @param array<string, string> $endpoint */
    public static function keepEndpoint(string $environment, array $endpoint): void
    {
        $all = get_option(self::ENDPOINTS_OPTION);
        update_option(self::ENDPOINTS_OPTION, [$environment => $endpoint] + (is_array($all) ? $all : []), false);
    }

    /** @return array<string, mixed> what Karba said about the key, when it was tested */
    public static function account(string $environment): array
    {
        $all = get_option(self::ACCOUNTS_OPTION);
        $account = is_array($all) ? ($all[$environment] ?? []) : [];
        return is_array($account) ? $account : [];
    }

    /** @param array<string, mixed> $account */
    public static function keepAccount(string $environment, array $account): void
    {
        $all = get_option(self::ACCOUNTS_OPTION);
        update_option(self::ACCOUNTS_OPTION, [$environment => $account] + (is_array($all) ? $all : []), false);
    }

    /** @return array<string, string> the countries of the account's operators, with their names */
    public static function countries(): array
    {
        $operators = self::account(self::environment())['operators'] ?? [];
        $codes = is_array($operators) ? array_unique(array_column($operators, 'country')) : [];
        $names = WC()->countries->get_countries();
        $countries = [];
        foreach ($codes as $code) {
            $countries[(string) $code] = (string) ($names[$code] ?? $code);
        }
        return $countries;
    }
}
