<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

/** The payment method in the checkout of blocks. */
final class BlocksMethod extends AbstractPaymentMethodType
{
    protected $name = Settings::GATEWAY;

    public function initialize(): void
    {
    }

    public function is_active(): bool
    {
        $gateways = WC()->payment_gateways()->payment_gateways();
        return isset($gateways[$this->name]) && $gateways[$this->name]->is_available();
    }

    /** @return list<string> */
    public function get_payment_method_script_handles(): array
    {
        wp_register_script(
            'karba-blocks',
            plugins_url('assets/blocks.js', KARBA_PLUGIN_FILE),
            ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities'],
            KARBA_PLUGIN_VERSION,
            true
        );
        wp_enqueue_style('karba', plugins_url('assets/karba.css', KARBA_PLUGIN_FILE), [], KARBA_PLUGIN_VERSION);
        return ['karba-blocks'];
    }

    /** @return array<string, mixed> */
    public function get_payment_method_data(): array
    {
        return CheckoutFields::data() + [
            'title' => Settings::text('title', __('Mobile money', 'karba')),
            'description' => Settings::text('description'),
            'supports' => ['products'],
        ];
    }
}
