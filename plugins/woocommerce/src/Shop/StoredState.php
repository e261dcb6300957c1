<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

/** Small facts that several processes change: past WordPress' cache of options. */
final class StoredState
{
    public static function read(string $name): ?string
    {
        return Database::value('SELECT value FROM ' . Database::state() . ' WHERE name = %s', [$name]);
    }

    /** How long ago it was written; null if never. */
    public static function ageSeconds(string $name): ?int
    {
        $age = Database::value(
            'SELECT TIMESTAMPDIFF(SECOND, updated_at, UTC_TIMESTAMP()) FROM ' . Database::state()
            . ' WHERE name = %s',
            [$name]
        );
        return $age === null ? null : (int) $age;
    }

    public static function write(string $name, string $value): void
    {
        Database::change(
            'INSERT INTO ' . Database::state() . ' (name, value, updated_at)'
            . ' VALUES (%s, %s, UTC_TIMESTAMP())'
            . ' ON DUPLICATE KEY UPDATE value = VALUES(value), updated_at = VALUES(updated_at)',
            [$name, substr($value, 0, 500)]
        );
    }

    /** False if another process has changed it since it was read. */
    public static function move(string $name, ?string $from, string $to): bool
    {
        if ($from === null) {
            return Database::change(
                'INSERT IGNORE INTO ' . Database::state() . ' (name, value, updated_at)'
                . ' VALUES (%s, %s, UTC_TIMESTAMP())',
                [$name, $to]
            ) === 1;
        }
        return Database::change(
            'UPDATE ' . Database::state() . ' SET value = %s, updated_at = UTC_TIMESTAMP()'
            . ' WHERE name = %s AND value = %s',
            [$to, $name, $from]
        ) === 1;
    }

    /** True for one process in so many seconds. */
    public static function isTurn(string $name, int $everySeconds): bool
    {
        Database::change(
            'INSERT IGNORE INTO ' . Database::state() . ' (name, value, updated_at)'
            . " VALUES (%s, '0', '2000-01-01')",
            [$name]
        );
        return Database::change(
            'UPDATE ' . Database::state() . ' SET value = value + 1, updated_at = UTC_TIMESTAMP()'
            . ' WHERE name = %s AND updated_at <= UTC_TIMESTAMP() - INTERVAL %d SECOND',
            [$name, $everySeconds]
        ) === 1;
    }
}
