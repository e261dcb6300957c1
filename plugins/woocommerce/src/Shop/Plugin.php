<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Automattic\WooCommerce\Blocks\Payments\PaymentMethodRegistry;
use Automattic\WooCommerce\Utilities\FeaturesUtil;

/** Starts the plugin once WooCommerce is there. */
final class Plugin
{
    public static function start(): void
    {
        add_action('before_woocommerce_init', [self::class, 'declareFeatures']);
        add_action('init', [self::class, 'loadWords'], 0);
        add_action('change_locale', [self::class, 'loadWords']);
        add_action('plugins_loaded', [self::class, 'startShop']);
        register_deactivation_hook(KARBA_PLUGIN_FILE, [self::class, 'stop']);
    }

    public static function declareFeatures(): void
    {
        FeaturesUtil::declare_compatibility('custom_order_tables', KARBA_PLUGIN_FILE);
        FeaturesUtil::declare_compatibility('cart_checkout_blocks', KARBA_PLUGIN_FILE);
    }

    public static function startShop(): void
    {
        if (!class_exists('WooCommerce')) {
            return;
        }
        Database::prepare();
        Jobs::start();
        WaitingPage::start();
        OrderScreen::start();
        add_filter('woocommerce_payment_gateways', [self::class, 'addGateway']);
        add_action('woocommerce_create_refund', [Gateway::class, 'noteRefund']);
        add_action('woocommerce_blocks_payment_method_type_registration', [self::class, 'addToBlocks']);
        add_action('woocommerce_api_' . WebhookReceiver::NAME, [WebhookReceiver::class, 'receive']);
        add_filter('plugin_action_links_' . plugin_basename(KARBA_PLUGIN_FILE), [self::class, 'addLink']);
    }

    /** French for every country that speaks it. */
    public static function loadWords(): void
    {
        unload_textdomain('karba', true);
        if (strncmp(determine_locale(), 'fr', 2) === 0) {
            load_textdomain('karba', dirname(KARBA_PLUGIN_FILE) . '/languages/karba-fr_FR.mo', determine_locale());
        }
    }

    /**
     * @param list<string|\WC_Payment_Gateway> $gateways
     * @return list<string|\WC_Payment_Gateway>
     */
    public static function addGateway(array $gateways): array
    {
        $gateways[] = Gateway::class;
        return $gateways;
    }

    public static function addToBlocks(PaymentMethodRegistry $registry): void
    {
        $registry->register(new BlocksMethod());
    }

    /**
     * @param array<int|string, string> $links
     * @return array<int|string, string>
     */
    public static function addLink(array $links): array
    {
        $address = admin_url('admin.php?page=wc-settings&tab=checkout&section=' . Settings::GATEWAY);
        $link = sprintf('<a href="%s">%s</a>', esc_url($address), esc_html__('Settings', 'karba'));
        return array_merge([$link], $links);
    }

    public static function stop(): void
    {
        wp_clear_scheduled_hook(Jobs::HOOK);
        wp_clear_scheduled_hook(Jobs::HOOK, ['more']);
    }
}
