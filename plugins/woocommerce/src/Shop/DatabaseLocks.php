<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\WooCommerce\Deciding\Locks;

/**
 * The database's own named locks: they end with the connection, so a process that dies keeps none.
 * A transient would be read and then written, and two processes could both pass.
 */
final class DatabaseLocks implements Locks
{
    public function hold(string $name, int $waitSeconds, callable $work)
    {
        global $wpdb;
        // The names are those of the whole server, and may have 64 characters.
        $whole = 'karba-' . md5(DB_NAME . $wpdb->prefix . $name);
        if (Database::value('SELECT GET_LOCK(%s, %d)', [$whole, $waitSeconds]) !== '1') {
            return null;
        }
        try {
            return $work();
        } finally {
            // Fails only without a connection, and then there is no lock.
            $wpdb->query($wpdb->prepare('DO RELEASE_LOCK(%s)', $whole));
        }
    }
}
