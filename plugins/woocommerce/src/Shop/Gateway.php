<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\WooCommerce\Deciding\Amount;
use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\Begun;

/** The payment method in the checkout. */
final class Gateway extends \WC_Payment_Gateway
{
    private const LONGEST_NUMBER = 25;
    private const LONGEST_NAME = 100;
    private const LEAST_MINUTES = 15;
    private const MOST_MINUTES = 1440;

    /** The record that WooCommerce makes just before it calls process_refund. */
    private static ?\WC_Order_Refund $refund = null;

    public function __construct()
    {
        $this->id = Settings::GATEWAY;
        $this->method_title = 'Karba';
        $this->method_description = __('Mobile money by Karba: a request on the customer’s phone, or a payment page.', 'karba');
        $this->has_fields = true;
        $this->supports = ['products', 'refunds'];
        $this->init_settings();
        $this->form_fields = SettingsPage::fields();
        $this->title = Settings::text('title', __('Mobile money', 'karba'));
        $this->description = Settings::text('description');
        add_action('woocommerce_update_options_payment_gateways_' . $this->id, [$this, 'process_admin_options']);
    }

    public static function noteRefund(\WC_Order_Refund $refund): void
    {
        self::$refund = $refund;
    }

    public function is_available(): bool
    {
        $isForCustomer = Settings::isLive() || Settings::isSandboxForAll() || current_user_can('manage_woocommerce');
        return parent::is_available()
            && $isForCustomer
            && Settings::key(Settings::environment()) !== ''
            && Settings::otherHome() === null
            && get_woocommerce_currency() === Amount::CURRENCY;
    }

    public function payment_fields(): void
    {
        CheckoutFields::show($this->description);
    }

    public function validate_fields(): bool
    {
        $chosen = CheckoutFields::chosen();
        if ($chosen['way'] === Attempt::PROMPT && $chosen['number'] === '') {
            wc_add_notice(__('Enter the mobile money number that pays.', 'karba'), 'error');
            return false;
        }
        return true;
    }

    /**
     * @param int $orderId
     * @return array<string, string>
     */
    public function process_payment($orderId): array
    {
        $order = ShopOrders::fresh((int) $orderId);
        $francs = Amount::wholeFrancs($order->get_total());
        if ($francs === null || $order->get_currency() !== Amount::CURRENCY) {
            return self::refuse(__('This order is not in whole francs CFA, so mobile money cannot pay it.', 'karba'));
        }
        $chosen = CheckoutFields::chosen();
        if ($chosen['way'] === Attempt::PROMPT && $chosen['number'] === '') {
            return self::refuse(__('Enter the mobile money number that pays.', 'karba'));
        }
        $attempt = self::newAttempt($order, $chosen, $francs);
        $begun = Wiring::beginning($this->details($order, $chosen))->begin($attempt);
        return $this->goTo($order, $begun);
    }

    /**
     * @param int $orderId
     * @param float|string|null $amount
     * @param string $reason
     * @return bool|\WP_Error
     */
    public function process_refund($orderId, $amount = null, $reason = '')
    {
        $order = wc_get_order($orderId);
        if (!$order instanceof \WC_Order || $amount === null) {
            return new \WP_Error('karba_refund', __('Enter an amount.', 'karba'));
        }
        $isOfOrder = self::$refund !== null && self::$refund->get_parent_id() === $order->get_id();
        return Refunds::make($order, (string) $amount, $isOfOrder ? self::$refund : null);
    }

    public function admin_options(): void
    {
        SettingsPage::show();
        parent::admin_options();
    }

    public function process_admin_options(): bool
    {
        $isSaved = parent::process_admin_options();
        SettingsPage::afterSave();
        return $isSaved;
    }

    /** @param string $key @param string|null $value */
    public function validate_sandbox_key_field($key, $value): string
    {
        return SettingsPage::checkedKey('sandbox', (string) $value);
    }

    /** @param string $key @param string|null $value */
    public function validate_live_key_field($key, $value): string
    {
        return SettingsPage::checkedKey('live', (string) $value);
    }

    /**
     * A saved key is never printed.
     *
     * @param string $key
     * @param array<string, mixed> $data
     */
    public function generate_password_html($key, $data): string
    {
        $saved = Settings::text($key);
        $data['placeholder'] = $saved === '' ? '' : sprintf(
            /* translators: %s: the last characters of a key */
            __('saved, ends in %s', 'karba'),
            substr($saved, -4)
        );
        $kept = $this->settings[$key] ?? '';
        $this->settings[$key] = '';
        $html = $this->generate_text_html($key, ['type' => 'password'] + $data);
        $this->settings[$key] = $kept;
        return $html;
    }

    /** @return array<string, string> */
    private function goTo(\WC_Order $order, Begun $begun): array
    {
        switch ($begun->is) {
            case Begun::PAID:
                return ['result' => 'success', 'redirect' => $order->get_checkout_order_received_url()];
            case Begun::PAGE:
                return ['result' => 'success', 'redirect' => $begun->attempt->pageUrl];
            case Begun::WAITING:
                self::noteRequest($order, $begun->attempt);
                return ['result' => 'success', 'redirect' => $order->get_checkout_payment_url(true)];
            default:
                Wiring::log("Order {$order->get_id()}: the payment was refused: $begun->why");
                return self::refuse(Words::refusal($begun));
        }
    }

    private static function noteRequest(\WC_Order $order, Attempt $attempt): void
    {
        $order->add_order_note(sprintf(
            /* translators: 1: amount, 2: last digits of the number, 3: reference */
            __('Karba: request of %1$s sent to the phone that ends in %2$s (%3$s).', 'karba'),
            Words::francs($attempt->amount),
            $attempt->numberEnd,
            $attempt->publicReference
        ));
    }

    /** @return array<string, string> */
    private static function refuse(string $text): array
    {
        if (WC()->is_rest_api_request()) {
            // The checkout of blocks shows the message of an exception.
            throw new \Exception($text);
        }
        wc_add_notice($text, 'error');
        return ['result' => 'failure'];
    }

    /** @param array{way: string, number: string, country: string} $chosen */
    private static function newAttempt(\WC_Order $order, array $chosen, int $francs): Attempt
    {
        $reference = Settings::shopId() . '-' . $order->get_id();
        $attempt = new Attempt(
            $reference . '-' . bin2hex(random_bytes(5)),
            $order->get_id(),
            $reference,
            Settings::environment(),
            $chosen['way'],
            $francs
        );
        if ($attempt->kind === Attempt::PAGE) {
            $attempt->linkReference = bin2hex(random_bytes(16));
        } else {
            $attempt->numberEnd = substr((string) preg_replace('/\D/', '', $chosen['number']), -2);
        }
        return $attempt;
    }

    /**
     * @param array{way: string, number: string, country: string} $chosen
     * @return array<string, mixed>
     */
    private function details(\WC_Order $order, array $chosen): array
    {
        $name = trim($order->get_formatted_billing_full_name());
        $minutes = (int) get_option('woocommerce_hold_stock_minutes');
        return [
            'msisdn' => substr($chosen['number'], 0, self::LONGEST_NUMBER),
            'country' => $chosen['country'],
            'customer_name' => mb_substr($name === '' ? $order->get_order_number() : $name, 0, self::LONGEST_NAME),
            'title' => sprintf(
                /* translators: %s: order number */
                __('Order %s', 'karba'),
                $order->get_order_number()
            ),
            'success_url' => $order->get_checkout_order_received_url(),
            'failure_url' => $order->get_checkout_payment_url(),
            'expires_in_minutes' => $minutes > 0
                ? min(self::MOST_MINUTES, max(self::LEAST_MINUTES, $minutes))
                : self::MOST_MINUTES,
        ];
    }
}
