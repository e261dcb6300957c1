<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

/** What the merchant sees in an order: each attempt, and a way to ask Karba now. */
final class OrderScreen
{
    private const ACTION = 'karba_look';

    public static function start(): void
    {
        add_action('woocommerce_admin_order_data_after_billing_address', [self::class, 'show']);
        add_filter('woocommerce_order_actions', [self::class, 'addAction'], 10, 2);
        add_action('woocommerce_order_action_' . self::ACTION, [self::class, 'look']);
    }

    public static function show(\WC_Order $order): void
    {
        $attempts = (new StoredAttempts())->ofOrder($order->get_id());
        if ($attempts === []) {
            return;
        }
        printf('<h3>%s</h3>', esc_html__('Karba', 'karba'));
        echo '<ul class="karba-attempts">';
        foreach ($attempts as $attempt) {
            $test = $attempt->environment === 'live' ? '' : __('TEST', 'karba') . ' ';
            printf(
                '<li>%s<strong>%s</strong> %s %s%s</li>',
                esc_html($test),
                esc_html(Words::francs($attempt->amount)),
                esc_html($attempt->publicReference),
                esc_html(Words::attemptState($attempt)),
                $attempt->reason === '' || $attempt->hasMoney()
                    ? ''
                    : esc_html(': ' . Words::failure($attempt->reason))
            );
        }
        echo '</ul>';
    }

    /**
     * @param array<string, string> $actions
     * @param \WC_Order|null $order
     * @return array<string, string>
     */
    public static function addAction($actions, $order = null): array
    {
        if ($order instanceof \WC_Order && (new StoredAttempts())->ofOrder($order->get_id()) !== []) {
            $actions[self::ACTION] = __('Ask Karba about the payment', 'karba');
        }
        return $actions;
    }

    public static function look(\WC_Order $order): void
    {
        foreach ((new StoredAttempts())->ofOrder($order->get_id()) as $attempt) {
            $decision = Wiring::lookAt($attempt);
            if ($decision === null) {
                $order->add_order_note(__('Karba could not be asked about the payment: try again later.', 'karba'));
                return;
            }
        }
    }
}
