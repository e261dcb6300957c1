<?php

/**
 * A must-use plugin of the test shop: it notes what happens to orders, makes orders in bulk, and
 * kills its own process where a test asks for it. It uses only WooCommerce's public hooks.
 */

declare(strict_types=1);

namespace Karba\WooCommerce\Real;

use Karba\WooCommerce\Shop\Database;

final class Probe
{
    /** Where a process can be killed: before, while and after an order is saved as paid. */
    private const POINTS = [
        'woocommerce_pre_payment_complete',
        'woocommerce_order_status_changed',
        'woocommerce_reduce_order_stock',
        'woocommerce_email_sent',
        'woocommerce_payment_complete',
    ];

    public static function start(): void
    {
        add_filter('pre_wp_mail', [self::class, 'noteMail'], 10, 2);
        add_action('woocommerce_payment_complete', static function ($id): void {
            self::note((int) $id, 'complete');
        }, 1);
        // For each product whose stock was really reduced.
        add_action('woocommerce_reduce_order_item_stock', static function ($item, $change, $order): void {
            self::note($order->get_id(), 'stock');
        }, 1, 3);
        add_action('woocommerce_order_status_changed', static function ($id, $from, $to): void {
            self::note((int) $id, "to $to");
        }, 1, 3);
        add_action('woocommerce_email_sent', static function ($isSent, $kind, $email): void {
            if ($email->object instanceof \WC_Order) {
                self::note($email->object->get_id(), strpos($kind, 'customer') === 0 ? 'mail customer' : "mail $kind");
            }
        }, 1, 3);
        foreach (self::POINTS as $point) {
            add_action($point, static function () use ($point): void {
                self::die($point);
            }, 5);
        }
        add_action('wp_loaded', [self::class, 'answer'], 99);
    }

    /** @param mixed $sent @param array<string, mixed> $mail */
    public static function noteMail($sent, array $mail): bool
    {
        global $wpdb;
        preg_match('/(\d+)/', (string) preg_replace('/^\[.*?\]/', '', $mail['subject']), $found);
        $to = is_array($mail['to']) ? implode(',', $mail['to']) : $mail['to'];
        $kind = strpos($to, '@customer.example') !== false ? 'to customer' : 'to merchant';
        $wpdb->query($wpdb->prepare(
            'INSERT INTO probe_notes (order_id, what) VALUES (%d, %s)',
            (int) ($found[1] ?? 0),
            substr("letter $kind: {$mail['subject']}", 0, 190)
        ));
        return true;
    }

    public static function answer(): void
    {
        if (!isset($_GET['probe']) || ($_SERVER['HTTP_X_PROBE'] ?? '') !== PROBE_TOKEN) {
            return;
        }
        $asked = json_decode((string) file_get_contents('php://input'), true) ?: [];
        set_time_limit(0);
        require_once ABSPATH . 'wp-admin/includes/plugin.php';
        wp_set_current_user(1);
        $method = [self::class, 'do' . ucfirst((string) $_GET['probe'])];
        try {
            wp_send_json(['answer' => $method($asked)]);
        } catch (\Throwable $error) {
            wp_send_json(['error' => (string) $error], 500);
        }
    }

    /** @param array<string, mixed> $asked @return list<array<string, mixed>> */
    public static function doOrders(array $asked): array
    {
        $made = [];
        $product = wc_get_product((int) wc_get_products(['limit' => 1, 'return' => 'ids', 'orderby' => 'ID', 'order' => 'ASC'])[0]);
        for ($i = 0; $i < $asked['count']; $i++) {
            $order = wc_create_order(['created_via' => 'checkout', 'status' => 'pending']);
            $order->add_product($product, 1);
            $order->set_billing_first_name('Awa');
            $order->set_billing_last_name('Diallo');
            $order->set_billing_email('awa@customer.example');
            $order->set_billing_country('NE');
            $order->set_payment_method('karba');
            $order->calculate_totals();
            $order->save();
            $answer = isset($asked['number']) ? self::pay($order, $asked) : [];
            $made[] = ['id' => $order->get_id(), 'key' => $order->get_order_key()] + $answer;
        }
        return $made;
    }

    /** @param array<string, mixed> $asked @return array<string, mixed> */
    public static function doPay(array $asked): array
    {
        return self::pay(wc_get_order($asked['id']), $asked);
    }

    /** @param array<string, mixed> $asked @return array<string, mixed> */
    private static function pay(\WC_Order $order, array $asked): array
    {
        $_POST = [
            'karba_way' => $asked['way'] ?? 'prompt',
            'karba_number' => $asked['number'] ?? '',
            'karba_country' => 'NE',
        ];
        $gateway = WC()->payment_gateways()->payment_gateways()['karba'];
        $answer = $gateway->process_payment($order->get_id());
        if ($answer['result'] !== 'success' && function_exists('wc_get_notices')) {
            $answer['notices'] = wc_get_notices('error');
            wc_clear_notices();
        }
        return $answer;
    }

    /** @param array<string, mixed> $asked @return list<array<string, mixed>> */
    public static function doStates(array $asked): array
    {
        global $wpdb;
        return array_map(static function ($id) use ($wpdb): array {
            $order = wc_get_order($id);
            return [
                'id' => $id,
                'status' => $order ? $order->get_status() : 'gone',
                'paid_by' => $order ? $order->get_transaction_id() : '',
                'refunded' => $order ? (int) $order->get_total_refunded() : 0,
                'noted' => $wpdb->get_col($wpdb->prepare('SELECT what FROM probe_notes WHERE order_id = %d ORDER BY id', $id)),
                'attempts' => $wpdb->get_results($wpdb->prepare('SELECT * FROM ' . Database::attempts() . ' WHERE order_id = %d ORDER BY created_at', $id), ARRAY_A),
                'notes' => $order ? array_column(wc_get_order_notes(['order_id' => $id]), 'content') : [],
            ];
        }, $asked['ids']);
    }

    /** @param array<string, mixed> $asked @return array<string, mixed> counts over a range of orders */
    public static function doCount(array $asked): array
    {
        global $wpdb;
        $attempts = Database::attempts();
        $range = $wpdb->prepare('BETWEEN %d AND %d', $asked['from'], $asked['to']);
        $count = static function (string $sql) use ($wpdb): int {
            return (int) $wpdb->get_var($sql);
        };
        $times = static function (string $what) use ($count, $range): int {
            return $count("SELECT COUNT(*) FROM (SELECT order_id FROM probe_notes WHERE what LIKE '$what'
                AND order_id $range GROUP BY order_id HAVING COUNT(*) > 1) x");
        };
        $isHpos = get_option('woocommerce_custom_orders_table_enabled') === 'yes';
        $orders = $isHpos ? "{$wpdb->prefix}wc_orders" : $wpdb->posts;
        $status = $isHpos ? 'status' : 'post_status';
        $type = $isHpos ? 'type' : 'post_type';
        return [
            'orders' => $count("SELECT COUNT(*) FROM $orders WHERE id $range AND $type = 'shop_order'"),
            'paid' => $count("SELECT COUNT(*) FROM $orders WHERE id $range AND $type = 'shop_order' AND $status IN ('wc-processing', 'wc-completed')"),
            'held' => $count("SELECT COUNT(*) FROM $orders WHERE id $range AND $type = 'shop_order' AND $status = 'wc-on-hold'"),
            'cancelled' => $count("SELECT COUNT(*) FROM $orders WHERE id $range AND $type = 'shop_order' AND $status = 'wc-cancelled'"),
            'settled' => $count("SELECT COUNT(*) FROM $attempts WHERE order_id $range AND state = 'settled'"),
            'open' => $count("SELECT COUNT(*) FROM $attempts WHERE order_id $range AND state IN ('open', 'working')"),
            'completed_twice' => $times('complete'),
            'stock_twice' => $times('stock'),
            'mailed_twice' => $times('mail customer%'),
            'without_stock' => $count("SELECT COUNT(*) FROM $attempts a WHERE order_id $range AND state = 'settled' AND NOT EXISTS (SELECT 1 FROM probe_notes n WHERE n.order_id = a.order_id AND n.what = 'stock')"),
            'without_mail' => $count("SELECT COUNT(*) FROM $attempts a WHERE order_id $range AND state = 'settled' AND NOT EXISTS (SELECT 1 FROM probe_notes n WHERE n.order_id = a.order_id AND n.what LIKE 'mail customer%')"),
        ];
    }

    /** @param array<string, mixed> $asked */
    public static function doHook(array $asked): bool
    {
        do_action($asked['name']);
        return true;
    }

    /** @param array<string, mixed> $asked @return list<array<string, mixed>> */
    public static function doSql(array $asked): array
    {
        global $wpdb;
        $rows = $wpdb->get_results(str_replace('{prefix}', $wpdb->prefix, $asked['sql']), ARRAY_A);
        if ($wpdb->last_error !== '') {
            throw new \RuntimeException($wpdb->last_error);
        }
        return is_array($rows) ? $rows : [];
    }

    /** @param array<string, mixed> $asked */
    public static function doStatus(array $asked): bool
    {
        foreach ($asked['ids'] as $id) {
            wc_get_order($id)->update_status($asked['status']);
        }
        return true;
    }

    /** @param array<string, mixed> $asked */
    public static function doTotal(array $asked): bool
    {
        $order = wc_get_order($asked['id']);
        if (isset($asked['currency'])) {
            $order->set_currency($asked['currency']);
        }
        $order->set_total((string) $asked['total']);
        $order->save();
        return true;
    }

    /** @param array<string, mixed> $asked @return string|bool */
    public static function doRefund(array $asked)
    {
        $refund = wc_create_refund([
            'order_id' => $asked['id'],
            'amount' => $asked['amount'],
            'refund_payment' => true,
        ]);
        return is_wp_error($refund) ? $refund->get_error_message() : true;
    }

    /** @param array<string, mixed> $asked */
    public static function doForget(array $asked): bool
    {
        global $wpdb;
        wp_cache_flush();
        $wpdb->query("DELETE FROM $wpdb->options WHERE option_name LIKE '\\_transient%'");
        $wpdb->query("DELETE FROM {$wpdb->prefix}woocommerce_sessions");
        return true;
    }

    /** @param array<string, mixed> $asked */
    public static function doOption(array $asked): bool
    {
        $value = $asked['value'];
        if (is_array($value)) {
            $old = get_option($asked['name']);
            $value = array_merge(is_array($old) ? $old : [], $value);
        }
        update_option($asked['name'], $value);
        return true;
    }

    /** @param array<string, mixed> $asked */
    public static function doRestore(array $asked): bool
    {
        return update_option('woocommerce_karba_settings', unserialize($asked['value'], ['allowed_classes' => false]));
    }

    public static function doActivate(): bool
    {
        return activate_plugin('karba/karba.php') === null;
    }

    /** @param array<string, mixed> $asked @return mixed */
    public static function doRun(array $asked)
    {
        return $asked['call'](...($asked['arguments'] ?? []));
    }

    private static function note(int $orderId, string $what): void
    {
        global $wpdb;
        $wpdb->query($wpdb->prepare('INSERT INTO probe_notes (order_id, what) VALUES (%d, %s)', $orderId, $what));
    }

    /** Kills this process if a test has asked for it here, or waits while the test kills the database. */
    private static function die(string $point): void
    {
        global $wpdb;
        if (!file_exists(PROBE_FOLDER . '/kills')) {
            return;
        }
        $taken = $wpdb->query($wpdb->prepare('UPDATE probe_kills SET left_over = left_over - 1 WHERE point = %s AND left_over > 0', $point));
        if ($taken !== 1) {
            return;
        }
        if (file_exists(PROBE_FOLDER . '/kill-database')) {
            file_put_contents(PROBE_FOLDER . '/at-point', $point);
            for ($i = 0; $i < 200 && file_exists(PROBE_FOLDER . '/at-point'); $i++) {
                usleep(10000);
            }
            return;
        }
        // PHP-FPM has no name for SIGKILL.
        posix_kill(getmypid(), 9);
    }
}

Probe::start();
