<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\PaymentFacts;

/** Mails for what a person must decide: to those who get the mails of new orders. */
final class MerchantMail
{
    public static function send(Attempt $attempt, PaymentFacts $payment, string $text): void
    {
        self::about($attempt->orderId, $text . "\n\n" . sprintf(
            /* translators: %s: reference */
            __('Payment at Karba: %s', 'karba'),
            $payment->publicReference
        ));
    }

    public static function about(int $orderId, string $text): void
    {
        $settings = get_option('woocommerce_new_order_settings');
        $to = is_array($settings) ? (string) ($settings['recipient'] ?? '') : '';
        $order = wc_get_order($orderId);
        $address = $order instanceof \WC_Order ? $order->get_edit_order_url() : '';
        wp_mail(
            array_map('trim', explode(',', $to !== '' ? $to : (string) get_option('admin_email'))),
            sprintf(
                /* translators: 1: shop, 2: order number */
                __('[%1$s] Order %2$s needs a look', 'karba'),
                wp_specialchars_decode((string) get_option('blogname'), ENT_QUOTES),
                $order instanceof \WC_Order ? $order->get_order_number() : (string) $orderId
            ),
            "$text\n$address\n"
        );
    }
}
