<?php

// php prepare-site.php STEP SITE WISHES: installs WordPress, then WooCommerce and the plugin, each in
// a process of its own, as the first visits of a browser would.

declare(strict_types=1);

[, $step, $site, $json] = $argv;
$wishes = json_decode($json, true, 10, JSON_THROW_ON_ERROR);
$_SERVER['HTTP_HOST'] = parse_url($wishes['url'], PHP_URL_HOST) . ':' . parse_url($wishes['url'], PHP_URL_PORT);
$_SERVER['REQUEST_URI'] = '/';
$_SERVER['REQUEST_METHOD'] = 'GET';
if ($step === 'wordpress') {
    define('WP_INSTALLING', true);
}
require "$site/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

$steps = [
    'wordpress' => static function () use ($wishes): void {
        wp_install('Boutique Awa', 'awa', 'awa@boutique.example', true, '', $wishes['password'], $wishes['locale']);
        update_option('permalink_structure', '/%postname%/');
        update_option('WPLANG', $wishes['locale']);
        switch_theme($wishes['theme']);
    },
    'woocommerce' => static function (): void {
        $error = activate_plugin('woocommerce/woocommerce.php');
        if (is_wp_error($error)) {
            throw new RuntimeException($error->get_error_message());
        }
    },
    'shop' => static function () use ($wishes): void {
        WC_Install::install();
        WC_Install::create_pages();
        $options = [
            'woocommerce_currency' => 'XOF',
            'woocommerce_price_num_decimals' => '0',
            'woocommerce_currency_pos' => 'right_space',
            'woocommerce_price_thousand_sep' => ' ',
            'woocommerce_default_country' => 'NE',
            'woocommerce_coming_soon' => 'no',
            'woocommerce_onboarding_profile' => ['skipped' => true],
            'woocommerce_show_marketplace_suggestions' => 'no',
            'woocommerce_task_list_hidden' => 'yes',
            'woocommerce_hold_stock_minutes' => '60',
            'woocommerce_enable_guest_checkout' => 'yes',
            'woocommerce_custom_orders_table_enabled' => $wishes['orders'] === 'posts' ? 'no' : 'yes',
            'woocommerce_custom_orders_table_data_sync_enabled' => $wishes['orders'] === 'both' ? 'yes' : 'no',
        ];
        foreach ($options as $name => $value) {
            update_option($name, $value);
        }
        foreach (['Pagne wax' => 1500, 'Savon de karité' => 500] as $name => $price) {
            $product = new WC_Product_Simple();
            $product->set_name($name);
            $product->set_regular_price((string) $price);
            $product->set_virtual(true);
            $product->set_manage_stock(true);
            $product->set_stock_quantity(1000000);
            $product->save();
        }
        $classic = wp_insert_post([
            'post_type' => 'page',
            'post_status' => 'publish',
            'post_name' => 'classic-checkout',
            'post_title' => 'Commander',
            'post_content' => '[woocommerce_checkout]',
        ]);
        if ($wishes['checkout'] === 'classic') {
            update_option('woocommerce_checkout_page_id', $classic);
        }
        flush_rewrite_rules();
    },
    'plugin' => static function () use ($wishes): void {
        $error = activate_plugin('karba/karba.php');
        if (is_wp_error($error)) {
            throw new RuntimeException($error->get_error_message());
        }
        update_option('woocommerce_karba_settings', $wishes['settings']);
    },
];
$steps[$step]();
echo json_encode([
    'wordpress' => $GLOBALS['wp_version'],
    'woocommerce' => defined('WC_VERSION') ? WC_VERSION : null,
    'database' => $GLOBALS['wpdb']->db_server_info(),
    'php' => PHP_VERSION,
]), "\n";
