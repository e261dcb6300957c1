<?php

/**
 * Plugin Name: Karba for WooCommerce
 * Description: Mobile money payments with Karba: a request on the customer's phone, or a payment page. No paid order is lost.
 * Version: 1.0.0
 * Requires at least: 6.5
 * Requires PHP: 7.4
 * Requires Plugins: woocommerce
 * WC requires at least: 9.0
 * WC tested up to: 11.0
 * Author: The Karba authors
 * License: Apache-2.0
 * License URI: https://www.apache.org/licenses/LICENSE-2.0
 * Text Domain: karba
 */

declare(strict_types=1);

if (!defined('ABSPATH')) {
    exit;
}

define('KARBA_PLUGIN_FILE', __FILE__);
define('KARBA_PLUGIN_VERSION', '1.0.0');

require __DIR__ . '/autoload.php';

Karba\WooCommerce\Shop\Plugin::start();
