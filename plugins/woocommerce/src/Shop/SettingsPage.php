<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\WooCommerce\Deciding\Attempt;

/** The settings of the gateway: what to enter, what works, what is wrong. */
final class SettingsPage
{
    private const TEST = 'karba_test';

    /** @return array<string, array<string, mixed>> */
    public static function fields(): array
    {
        return [
            'enabled' => [
                'title' => __('Mobile money', 'karba'),
                'type' => 'checkbox',
                'label' => __('Take payments with Karba', 'karba'),
                'default' => 'no',
            ],
            'environment' => [
                'title' => __('Mode', 'karba'),
                'type' => 'select',
                'options' => [
                    'sandbox' => __('Sandbox: for tests, no real money', 'karba'),
                    'live' => __('Live: real money', 'karba'),
                ],
                'default' => 'sandbox',
            ],
            'url' => [
                'title' => __('Address of Karba', 'karba'),
                'type' => 'url',
                'placeholder' => 'https://',
                'description' => __('As the operator of the service gave it to you.', 'karba'),
            ],
            'sandbox_key' => [
                'title' => __('Sandbox secret key', 'karba'),
                'type' => 'password',
                'description' => 'sk_sandbox_…',
            ],
            'live_key' => [
                'title' => __('Live secret key', 'karba'),
                'type' => 'password',
                'description' => __('sk_live_… with the rights to create, read and refund.', 'karba'),
            ],
            'webhook_key' => [
                'title' => __('Live webhook key', 'karba'),
                'type' => 'password',
                'description' => __('sk_live_… with the right to manage webhooks only. Used once, to register the webhook, and not stored.', 'karba'),
            ],
            'sandbox_secret' => self::secretField(__('Sandbox signing secret', 'karba')),
            'live_secret' => self::secretField(__('Live signing secret', 'karba')),
            'sandbox_for_all' => [
                'title' => __('Who sees the sandbox', 'karba'),
                'type' => 'checkbox',
                'label' => __('Every visitor (a sandbox payment completes an order without money)', 'karba'),
                'description' => __('Otherwise only managers of the shop, while they are signed in.', 'karba'),
                'default' => 'no',
            ],
        ] + self::fieldsOfCheckout();
    }

    public static function show(): void
    {
        self::testIfAsked();
        wp_enqueue_style('karba', plugins_url('assets/karba.css', KARBA_PLUGIN_FILE), [], KARBA_PLUGIN_VERSION);
        printf(
            '<div class="karba-band %s">%s</div>',
            Settings::isLive() ? 'karba-live' : '',
            Settings::isLive()
                ? esc_html__('LIVE: customers pay real money.', 'karba')
                : esc_html__('TEST MODE: no real money moves.', 'karba')
        );
        $problems = Health::problems();
        foreach ($problems as $problem) {
            printf('<div class="notice notice-error inline"><p>%s</p></div>', esc_html($problem));
        }
        if ($problems === []) {
            printf('<div class="notice notice-success inline"><p>%s</p></div>', esc_html__('Everything works.', 'karba'));
        }
        echo '<table class="widefat striped karba-facts"><tbody>';
        foreach (self::facts() as $name => $value) {
            printf('<tr><th scope="row">%s</th><td>%s</td></tr>', esc_html($name), esc_html($value));
        }
        echo '</tbody></table>';
        printf(
            '<p><a class="button" href="%s">%s</a></p>',
            esc_url(wp_nonce_url(add_query_arg(self::TEST, '1'), self::TEST)),
            esc_html__('Test the key and the webhook now', 'karba')
        );
    }

    /** A key is kept when its field stays empty, and never taken in the wrong field. */
    public static function checkedKey(string $environment, string $given): string
    {
        $given = trim(wp_unslash($given));
        $kept = Settings::text("{$environment}_key");
        if ($given === '') {
            return $kept;
        }
        if (preg_match("/^sk_{$environment}_[A-Za-z0-9_]+\\z/", $given) !== 1) {
            \WC_Admin_Settings::add_error(sprintf(
                /* translators: %s: beginning of a key */
                __('A key in this field begins with %s. The key was not saved.', 'karba'),
                "sk_{$environment}_"
            ));
            return $kept;
        }
        return $given;
    }

    public static function afterSave(): void
    {
        Settings::adoptHome();
        foreach (['sandbox', 'live'] as $environment) {
            $secret = Settings::text("{$environment}_secret");
            if ($secret !== '') {
                Endpoint::adopt($environment, $secret);
                self::forget("{$environment}_secret");
            }
        }
        $webhookKey = Settings::text('webhook_key');
        self::forget('webhook_key');
        KeyTest::run('sandbox');
        KeyTest::run('live', $webhookKey);
    }

    /** @return array<string, string> */
    private static function facts(): array
    {
        $environment = Settings::environment();
        $account = Settings::account($environment);
        $counts = (new StoredAttempts())->counts($environment);
        $names = array_column($account['operators'] ?? [], 'name');
        return [
            __('Merchant', 'karba') => (string) ($account['merchant'] ?? '–'),
            __('Networks', 'karba') => $names === [] ? '–' : implode(', ', $names),
            __('Webhook', 'karba') => (Settings::endpoint($environment)['signing_secret'] ?? '') === ''
                ? __('not registered', 'karba')
                : __('registered', 'karba'),
            __('Last webhook', 'karba') => self::when("webhook-$environment"),
            __('Last check for payments', 'karba') => self::when('catch-up'),
            __('Payments', 'karba') => sprintf(
                /* translators: 1, 2, 3: numbers of payments */
                __('%1$d paid, %2$d open, %3$d need a decision', 'karba'),
                $counts[Attempt::SETTLED] ?? 0,
                ($counts[Attempt::OPEN] ?? 0) + ($counts[Attempt::WORKING] ?? 0),
                $counts[Attempt::HELD] ?? 0
            ),
        ];
    }

    private static function when(string $name): string
    {
        $age = StoredState::ageSeconds($name);
        if ($age === null) {
            return __('never', 'karba');
        }
        $what = (string) StoredState::read($name);
        /* translators: %s: a duration, such as 5 minutes */
        $ago = sprintf(__('%s ago', 'karba'), human_time_diff(time() - $age));
        return $what === '' ? $ago : "$ago ($what)";
    }

    private static function testIfAsked(): void
    {
        $nonce = $_GET['_wpnonce'] ?? '';
        $isAsked = isset($_GET[self::TEST]) && is_string($nonce) && wp_verify_nonce($nonce, self::TEST);
        if ($isAsked && current_user_can('manage_woocommerce')) {
            KeyTest::run(Settings::environment());
            KeyTest::tryWebhook(Settings::environment());
        }
    }

    private static function forget(string $field): void
    {
        $chosen = get_option(Settings::OPTION);
        $chosen[$field] = '';
        update_option(Settings::OPTION, $chosen);
    }

    /** @return array<string, mixed> */
    private static function secretField(string $title): array
    {
        return [
            'title' => $title,
            'type' => 'password',
            'description' => __('whsec_… Only if the shop could not register its webhook itself.', 'karba'),
        ];
    }

    /** @return array<string, array<string, mixed>> */
    private static function fieldsOfCheckout(): array
    {
        return [
            'ways' => [
                'title' => __('How customers pay', 'karba'),
                'type' => 'select',
                'options' => [
                    'both' => __('The customer chooses', 'karba'),
                    'prompt' => __('A request on the phone', 'karba'),
                    'page' => __('Karba’s payment page', 'karba'),
                ],
                'default' => 'both',
            ],
            'title' => [
                'title' => __('Name in the checkout', 'karba'),
                'type' => 'text',
                'default' => __('Mobile money', 'karba'),
            ],
            'description' => [
                'title' => __('Text in the checkout', 'karba'),
                'type' => 'textarea',
                'default' => '',
            ],
        ];
    }
}
