<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\WooCommerce\Deciding\Attempt;

/** The page that waits for the outcome, and its question. Works without JavaScript too. */
final class WaitingPage
{
    public const NAME = 'karba_status';
    private const ASK_EVERY_SECONDS = 2;

    public static function start(): void
    {
        add_action('woocommerce_receipt_' . Settings::GATEWAY, [self::class, 'show']);
        add_action('woocommerce_api_' . self::NAME, [self::class, 'answer']);
        add_action('template_redirect', [self::class, 'lookBeforeShowing'], 5);
    }

    /** @param int $orderId */
    public static function show($orderId): void
    {
        $order = wc_get_order($orderId);
        $attempt = $order instanceof \WC_Order ? self::latest($order) : null;
        if ($attempt === null) {
            return;
        }
        $status = self::status($order, $attempt);
        wp_enqueue_style('karba', plugins_url('assets/karba.css', KARBA_PLUGIN_FILE), [], KARBA_PLUGIN_VERSION);
        wp_enqueue_script('karba-waiting', plugins_url('assets/waiting.js', KARBA_PLUGIN_FILE), [], KARBA_PLUGIN_VERSION, true);
        printf(
            '<div class="karba-waiting" data-karba-waiting="%s" role="status" aria-live="polite">',
            esc_url(self::address($order))
        );
        self::printBand($attempt);
        printf('<p class="karba-waiting-text">%s</p>', esc_html($status['text']));
        printf(
            '<p><a class="button karba-again" href="%s"%s>%s</a></p>',
            esc_url($order->get_checkout_payment_url()),
            $status['is'] === 'failed' ? '' : ' hidden',
            esc_html__('Try again', 'karba')
        );
        printf(
            '<noscript><p><a href="%s">%s</a></p></noscript></div>',
            esc_url($order->get_checkout_payment_url(true)),
            esc_html__('I have approved: look again', 'karba')
        );
    }

    /** For the script: what is known now, and where to go. */
    public static function answer(): void
    {
        $order = wc_get_order(absint($_GET['order'] ?? 0));
        $key = is_string($_GET['key'] ?? null) ? wp_unslash($_GET['key']) : '';
        if (!$order instanceof \WC_Order || !$order->key_is_valid($key)) {
            wp_send_json(['is' => 'unknown'], 404);
        }
        $attempt = self::latest($order);
        if ($attempt === null) {
            wp_send_json(['is' => 'unknown'], 404);
        }
        self::look($order);
        $order = ShopOrders::fresh($order->get_id());
        wp_send_json(self::status($order, self::latest($order)));
    }

    /** A customer who comes back, on whatever page, sees what Karba says now. */
    public static function lookBeforeShowing(): void
    {
        global $wp;
        $isReceived = is_order_received_page();
        $id = absint($wp->query_vars[$isReceived ? 'order-received' : 'order-pay'] ?? 0);
        $order = $id > 0 ? wc_get_order($id) : false;
        $key = is_string($_GET['key'] ?? null) ? wp_unslash($_GET['key']) : '';
        if (!$order instanceof \WC_Order || !$order->key_is_valid($key) || self::latest($order) === null) {
            return;
        }
        self::look($order);
        $order = ShopOrders::fresh($id);
        $isWaiting = self::latest($order)->mayStillPay();
        if (!$isReceived && !$order->needs_payment()) {
            wp_safe_redirect($order->get_checkout_order_received_url());
            exit;
        }
        if ($isReceived && $isWaiting && $order->needs_payment()) {
            wp_safe_redirect($order->get_checkout_payment_url(true));
            exit;
        }
    }

    private static function look(\WC_Order $order): void
    {
        $attempts = new StoredAttempts();
        foreach ($attempts->ofOrder($order->get_id()) as $attempt) {
            if ($attempt->mayStillPay() && $attempts->isTurnToAsk($attempt, self::ASK_EVERY_SECONDS)) {
                Wiring::lookAt($attempt);
            }
        }
    }

    /** @return array{is: string, text: string, go?: string} */
    private static function status(\WC_Order $order, Attempt $attempt): array
    {
        if ($order->is_paid() || $attempt->hasMoney()) {
            return [
                'is' => 'paid',
                'text' => __('Thank you: your payment was received.', 'karba'),
                'go' => $order->get_checkout_order_received_url(),
            ];
        }
        if (!$attempt->mayStillPay()) {
            return [
                'is' => 'failed',
                'text' => sprintf(
                    /* translators: %s: reason */
                    __('The payment did not succeed: %s.', 'karba'),
                    Words::failure($attempt->reason)
                ),
            ];
        }
        if ($attempt->kind === Attempt::PAGE) {
            return [
                'is' => 'waiting',
                'text' => __('Your payment is being checked. You can leave this page: the shop tells you by email.', 'karba'),
            ];
        }
        return [
            'is' => 'waiting',
            'text' => sprintf(
                /* translators: 1: amount, 2: last digits of the number */
                __('Approve %1$s on the phone that ends in %2$s. This page goes on by itself; you can also leave it: the shop tells you by email.', 'karba'),
                Words::francs($attempt->amount),
                $attempt->numberEnd
            ),
        ];
    }

    private static function printBand(Attempt $attempt): void
    {
        if ($attempt->environment !== 'live') {
            printf('<p class="karba-band">%s</p>', esc_html__('TEST MODE: no real money moves.', 'karba'));
        }
    }

    private static function latest(\WC_Order $order): ?Attempt
    {
        $attempts = (new StoredAttempts())->ofOrder($order->get_id());
        foreach ($attempts as $attempt) {
            if ($attempt->hasMoney()) {
                return $attempt;
            }
        }
        return $attempts === [] ? null : end($attempts);
    }

    private static function address(\WC_Order $order): string
    {
        return add_query_arg(
            ['wc-api' => self::NAME, 'order' => $order->get_id(), 'key' => $order->get_order_key()],
            home_url('/')
        );
    }
}
