<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Automattic\WooCommerce\Caches\OrderCache;
use Automattic\WooCommerce\Utilities\OrderUtil;
use Karba\WooCommerce\Deciding\Amount;
use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\Decision;
use Karba\WooCommerce\Deciding\OrderFacts;
use Karba\WooCommerce\Deciding\Orders;
use Karba\WooCommerce\Deciding\PaymentFacts;

/** The orders of WooCommerce, in either of its two stores. */
final class ShopOrders implements Orders
{
    public function read(int $orderId): ?OrderFacts
    {
        $row = self::row($orderId);
        if ($row === null) {
            return null;
        }
        $status = preg_replace('/^wc-/', '', (string) $row['status']);
        return new OrderFacts(
            $orderId,
            (string) $status,
            in_array($status, wc_get_is_paid_statuses(), true),
            Amount::wholeFrancs((string) $row['total']),
            (string) $row['currency'],
            (string) $row['paid_by']
        );
    }

    public function complete(Attempt $attempt, PaymentFacts $payment): void
    {
        $order = self::fresh($attempt->orderId);
        self::adopt($order, $attempt);
        $order->add_order_note(self::paidNote($attempt, $payment));
        $order->payment_complete($payment->reference);
        // WooCommerce reports an error of saving in its log only.
        $now = $this->read($attempt->orderId);
        if ($now === null || !$now->isPaid || $now->paidBy !== $payment->reference) {
            throw new \RuntimeException("Order $attempt->orderId was not saved as paid.");
        }
    }

    public function finish(Attempt $attempt, PaymentFacts $payment): void
    {
        $order = self::fresh($attempt->orderId);
        self::adopt($order, $attempt);
        if ($order->get_transaction_id() === '') {
            $order->set_transaction_id($payment->reference);
        }
        if ($order->get_date_paid('edit') === null) {
            $order->set_date_paid(time());
        }
        $order->save();
        // Each of these notes on the order that it was done.
        wc_maybe_reduce_stock_levels($order->get_id());
        wc_downloadable_product_permissions($order->get_id());
        wc_update_total_sales_counts($order->get_id());
        wc_update_coupon_usage_counts($order->get_id());
        $emails = WC()->mailer()->get_emails();
        $emails['WC_Email_New_Order']->trigger($order->get_id(), $order);
        if (!$attempt->isCustomerMailed) {
            $kind = $order->has_status('completed') ? 'Completed' : 'Processing';
            $emails["WC_Email_Customer_{$kind}_Order"]->trigger($order->get_id(), $order);
        }
    }

    public function decline(Attempt $attempt, PaymentFacts $payment): void
    {
        $order = self::fresh($attempt->orderId);
        // A page that the shop itself closed is no news.
        if ($order !== null && !($attempt->kind === Attempt::PAGE && $payment->reason === 'cancelled')) {
            $order->add_order_note(sprintf(
                /* translators: 1: reference, 2: reason */
                __('Karba: payment %1$s did not succeed: %2$s. The customer can try again.', 'karba'),
                $payment->publicReference,
                Words::failure($payment->reason)
            ));
        }
    }

    public function hold(Attempt $attempt, PaymentFacts $payment, string $why): void
    {
        $order = self::fresh($attempt->orderId);
        $text = Words::held($why, $payment->amount, $order === null ? null : $order->get_total(), $attempt);
        if ($order !== null) {
            self::adopt($order, $attempt);
            $order->set_transaction_id($payment->reference);
            $order->set_status('on-hold', $text . ' ');
            $order->save();
            $now = $this->read($attempt->orderId);
            if ($now === null || $now->status !== 'on-hold') {
                throw new \RuntimeException("Order $attempt->orderId was not put on hold.");
            }
        }
        MerchantMail::send($attempt, $payment, $text);
    }

    public function noteSurplus(Attempt $attempt, PaymentFacts $payment): void
    {
        $order = self::fresh($attempt->orderId);
        $text = Words::held(Decision::ALREADY_PAID, $payment->amount, $order->get_total(), $attempt);
        $order->add_order_note($text);
        MerchantMail::send($attempt, $payment, $text);
    }

    public function noteReturned(Attempt $attempt, PaymentFacts $payment): void
    {
        $order = self::fresh($attempt->orderId);
        if ($order !== null) {
            $order->add_order_note(sprintf(
                /* translators: %s: reference */
                __('Karba: the network gave the money of payment %s back to the customer. The order is not paid.', 'karba'),
                $payment->publicReference
            ));
        }
    }

    /** Past every cache of this process and of an object cache. */
    public static function fresh(int $orderId): ?\WC_Order
    {
        clean_post_cache($orderId);
        if (class_exists(OrderCache::class)) {
            wc_get_container()->get(OrderCache::class)->remove($orderId);
        }
        $store = \WC_Data_Store::load('order');
        if ($store->has_callable('clear_cached_data')) {
            $store->clear_cached_data([$orderId]);
        }
        wp_cache_delete(\WC_Order::generate_meta_cache_key($orderId, 'orders'), 'orders');
        wp_cache_delete("order-items-$orderId", 'orders');
        $order = wc_get_order($orderId);
        return $order instanceof \WC_Order ? $order : null;
    }

    /** The customer may have tried another gateway in between; the refund belongs to this one. */
    private static function adopt(\WC_Order $order, Attempt $attempt): void
    {
        $order->set_payment_method(Settings::GATEWAY);
        $order->update_meta_data('_karba_payment', $attempt->transactionId);
    }

    private static function paidNote(Attempt $attempt, PaymentFacts $payment): string
    {
        $note = sprintf(
            /* translators: 1: amount, 2: reference */
            __('Karba: %1$s received, payment %2$s. Amount, currency and order were compared.', 'karba'),
            Words::francs($payment->amount),
            $payment->publicReference
        );
        return $attempt->environment === 'live'
            ? $note
            : __('TEST: no real money.', 'karba') . ' ' . $note;
    }

    /** @return array<string, string|null>|null */
    private static function row(int $orderId): ?array
    {
        global $wpdb;
        if (OrderUtil::custom_orders_table_usage_is_enabled()) {
            $sql = 'SELECT status, total_amount AS total, currency, transaction_id AS paid_by'
                . " FROM {$wpdb->prefix}wc_orders WHERE id = %d AND type = 'shop_order'";
        } else {
            $meta = "SELECT meta_value FROM $wpdb->postmeta WHERE post_id = p.ID AND meta_key =";
            $sql = "SELECT p.post_status AS status, ($meta '_order_total' LIMIT 1) AS total,"
                . " ($meta '_order_currency' LIMIT 1) AS currency,"
                . " ($meta '_transaction_id' LIMIT 1) AS paid_by"
                . " FROM $wpdb->posts p WHERE p.ID = %d AND p.post_type = 'shop_order'";
        }
        return Database::rows($sql, [$orderId])[0] ?? null;
    }
}
