<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\KarbaException;
use Karba\WooCommerce\Deciding\Amount;
use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\Begun;
use Karba\WooCommerce\Deciding\Decision;

/** Sentences for customers and merchants, in the language of the site. */
final class Words
{
    public static function francs(int $amount): string
    {
        return wp_strip_all_tags(html_entity_decode(
            wc_price($amount, ['currency' => Amount::CURRENCY, 'decimals' => 0])
        ));
    }

    /** Why a payment failed: each of Facts::FAILURE_REASON has its words. */
    public static function failure(string $reason): string
    {
        $words = [
            'declined' => __('it was declined on the phone, or the code was wrong', 'karba'),
            'insufficient_funds' => __('there is not enough money in the account', 'karba'),
            'expired' => __('it was not approved in time', 'karba'),
            'cancelled' => __('it was cancelled', 'karba'),
            'payer_not_found' => __('this number has no mobile money account', 'karba'),
            'payer_not_allowed' => __('this account may not pay shops', 'karba'),
            'limit_reached' => __('the account has reached a limit', 'karba'),
            'amount_not_allowed' => __('the network does not accept this amount', 'karba'),
            'operator_error' => __('the network could not process it', 'karba'),
            'never_received' => __('the network never received it; nothing was debited', 'karba'),
        ];
        return $words[$reason] ?? __('the network gave no clear reason', 'karba');
    }

    /** Why "Place order" did not begin a payment, for the customer. */
    public static function refusal(Begun $begun): string
    {
        $words = [
            Begun::BUSY => __('Your payment is already being prepared. Wait a moment, then try again.', 'karba'),
            Begun::UNREACHABLE => __('The payment service does not answer. You were not charged twice: try again in a minute.', 'karba'),
            Begun::OPEN_WITH_OTHER_AMOUNT => __('A payment of another amount is still open for this order. Decline it on your phone or wait until it expires, then try again.', 'karba'),
            KarbaException::NO_ANSWER => __('The payment service does not answer. Try again in a minute.', 'karba'),
            'msisdn_not_valid' => __('This number is not a mobile money number of the country. Check it.', 'karba'),
            'country_not_allowed' => __('Payments from this country are not possible.', 'karba'),
            'amount_not_valid' => __('The amount is too small or too large for mobile money.', 'karba'),
            'operator_not_available' => __('This network cannot take payments now. Use another number or try later.', 'karba'),
            'order_reference_taken' => __('Another payment of this order is still open. Wait a few minutes, then look at your order again.', 'karba'),
            'too_many_requests' => __('There were too many tries. Wait some minutes, then try again.', 'karba'),
        ];
        return $words[$begun->why]
            ?? __('The payment could not begin. The shop has been told; you were not charged.', 'karba');
    }

    /** Why a person must look at an order. */
    public static function held(string $why, int $amount, ?string $total, Attempt $attempt): string
    {
        $money = self::francs($amount);
        switch ($why) {
            case Decision::AMOUNT_DIFFERS:
                return sprintf(
                    /* translators: 1: amount paid, 2: total of the order */
                    __('Karba received %1$s, and the order is %2$s. It was not completed: deliver or refund it.', 'karba'),
                    $money,
                    (string) $total
                );
            case Decision::CURRENCY_DIFFERS:
                return sprintf(
                    /* translators: %s: amount paid */
                    __('Karba received %s, and the order is in another currency. It was not completed.', 'karba'),
                    $money
                );
            case Decision::TEST_PAYMENT:
                return __('A TEST payment of the sandbox succeeded, and the shop is live: no real money came. The order was not completed.', 'karba');
            case Decision::ORDER_CLOSED:
                return sprintf(
                    /* translators: %s: amount paid */
                    __('Karba received %s after the order was closed. Deliver it or refund the customer.', 'karba'),
                    $money
                );
            case Decision::ALREADY_PAID:
                return sprintf(
                    /* translators: 1: amount paid, 2: name of the payment */
                    __('Karba received %1$s for this order, which is paid already. Refund payment %2$s in Karba’s dashboard.', 'karba'),
                    $money,
                    $attempt->publicReference
                );
            default:
                return sprintf(
                    /* translators: %s: amount paid */
                    __('Karba received %s for an order that no longer exists. Refund it in Karba’s dashboard.', 'karba'),
                    $money
                );
        }
    }

    public static function attemptState(Attempt $attempt): string
    {
        $words = [
            Attempt::OPEN => __('open', 'karba'),
            Attempt::WORKING => __('being written', 'karba'),
            Attempt::SETTLED => __('paid', 'karba'),
            Attempt::HELD => __('money came: decide', 'karba'),
            Attempt::FAILED => __('failed', 'karba'),
            Attempt::RETURNED => __('money given back', 'karba'),
            Attempt::REFUSED => __('not begun', 'karba'),
        ];
        return $words[$attempt->state] ?? $attempt->state;
    }
}
