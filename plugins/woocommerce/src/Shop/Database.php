<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

/** The plugin's own tables, and statements that never fail silently. */
final class Database
{
    private const VERSION = '1';
    private const VERSION_OPTION = 'karba_database';

    public static function attempts(): string
    {
        return self::wpdb()->prefix . 'karba_attempts';
    }

    public static function refunds(): string
    {
        return self::wpdb()->prefix . 'karba_refunds';
    }

    public static function state(): string
    {
        return self::wpdb()->prefix . 'karba_state';
    }

    /**
     * @param array<int, string|int> $values
     * @return int the number of changed rows
     */
    public static function change(string $sql, array $values): int
    {
        $wpdb = self::wpdb();
        $changed = $wpdb->query($values === [] ? $sql : $wpdb->prepare($sql, $values));
        if ($changed === false) {
            throw new \RuntimeException("The database refused a change: $wpdb->last_error");
        }
        return (int) $changed;
    }

    /**
     * @param array<int, string|int> $values
     * @return list<array<string, string|null>>
     */
    public static function rows(string $sql, array $values): array
    {
        $wpdb = self::wpdb();
        // With replicas, what was just written is read from the primary.
        if (method_exists($wpdb, 'send_reads_to_masters')) {
            $wpdb->send_reads_to_masters();
        }
        $wpdb->last_error = '';
        $rows = $wpdb->get_results($values === [] ? $sql : $wpdb->prepare($sql, $values), ARRAY_A);
        if ($wpdb->last_error !== '' || !is_array($rows)) {
            throw new \RuntimeException("The database refused a read: $wpdb->last_error");
        }
        return $rows;
    }

    /** @param array<int, string|int> $values */
    public static function value(string $sql, array $values): ?string
    {
        $rows = self::rows($sql, $values);
        return $rows === [] ? null : array_values($rows[0])[0];
    }

    public static function prepare(): void
    {
        if (get_option(self::VERSION_OPTION) === self::VERSION) {
            return;
        }
        foreach (self::tables() as $sql) {
            self::change($sql, []);
        }
        update_option(self::VERSION_OPTION, self::VERSION);
    }

    /** @return list<string> */
    private static function tables(): array
    {
        $end = 'ENGINE=InnoDB ' . self::wpdb()->get_charset_collate();
        return [
            'CREATE TABLE IF NOT EXISTS ' . self::attempts() . " (
                transaction_id varchar(100) NOT NULL PRIMARY KEY,
                order_id bigint unsigned NOT NULL,
                order_reference varchar(100) NOT NULL,
                environment varchar(10) NOT NULL,
                kind varchar(10) NOT NULL,
                amount bigint NOT NULL,
                state varchar(10) NOT NULL,
                reason varchar(40) NOT NULL DEFAULT '',
                link_reference varchar(64) NOT NULL DEFAULT '',
                page_url varchar(500) NOT NULL DEFAULT '',
                reference varchar(64) NOT NULL DEFAULT '',
                public_reference varchar(64) NOT NULL DEFAULT '',
                number_end varchar(8) NOT NULL DEFAULT '',
                checks int NOT NULL DEFAULT 0,
                customer_mailed tinyint NOT NULL DEFAULT 0,
                created_at datetime NOT NULL,
                claimed_at datetime NULL,
                asked_at datetime NULL,
                due_at datetime NULL,
                KEY of_order (order_id),
                KEY due (due_at)
            ) $end",
            'CREATE TABLE IF NOT EXISTS ' . self::refunds() . " (
                refund_id varchar(100) NOT NULL PRIMARY KEY,
                order_id bigint unsigned NOT NULL,
                reference varchar(64) NOT NULL,
                amount bigint NOT NULL,
                state varchar(24) NOT NULL,
                shop_refund_id bigint unsigned NOT NULL DEFAULT 0,
                created_at datetime NOT NULL,
                KEY of_order (order_id)
            ) $end",
            'CREATE TABLE IF NOT EXISTS ' . self::state() . " (
                name varchar(100) NOT NULL PRIMARY KEY,
                value varchar(500) NOT NULL,
                updated_at datetime NOT NULL
            ) $end",
        ];
    }

    private static function wpdb(): \wpdb
    {
        global $wpdb;
        return $wpdb;
    }
}
