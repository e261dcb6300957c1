<?php

// Removes keys, settings and the webhook at Karba. Orders, the table of payments and the shop's name
// in them stay: they are the record of money, and a shop that installs the plugin again goes on.

declare(strict_types=1);

use Karba\KarbaException;
use Karba\WooCommerce\Shop\Endpoint;
use Karba\WooCommerce\Shop\Settings;

if (!defined('WP_UNINSTALL_PLUGIN')) {
    exit;
}

require __DIR__ . '/autoload.php';

foreach (['sandbox', 'live'] as $environment) {
    try {
        Endpoint::remove($environment);
    } catch (KarbaException $error) {
        // Without a key or an answer, the endpoint is removed in Karba's dashboard.
        continue;
    }
}
foreach (Settings::SECRET_OPTIONS as $option) {
    delete_option($option);
}
