<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\Client;
use Karba\KarbaException;
use Karba\WooCommerce\Deciding\Amount;
use Karba\WooCommerce\Deciding\Attempt;

/**
 * Refunds from the order's page, and those that were made elsewhere. Each has one name, so that a
 * lost answer or a double click never gives money back twice.
 */
final class Refunds
{
    private const LOCK_SECONDS = 20;
    /** The same amount again within this time is a double click. */
    private const DOUBLE_CLICK_SECONDS = 60;
    private const CALL = ['timeout_ms' => 20000, 'max_retries' => 4];
    private const READ = ['timeout_ms' => 6000, 'max_retries' => 1];
    private const REFUND_META = '_karba_refund';
    /** Its answer was lost: it is read before anything else is refunded. */
    private const LOST = 'lost';
    private const FAILED = 'failed';

    /**
     * @param \WC_Order_Refund|null $shopRefund the record that WooCommerce has just made
     * @return true|\WP_Error
     */
    public static function make(\WC_Order $order, string $amount, ?\WC_Order_Refund $shopRefund)
    {
        $francs = Amount::wholeFrancs($amount);
        $attempt = self::paidAttempt($order);
        if ($francs === null) {
            return self::error(__('Mobile money refunds whole francs only.', 'karba'));
        }
        if ($attempt === null) {
            return self::error(__('Karba has no payment of this order.', 'karba'));
        }
        $done = (new DatabaseLocks())->hold(
            "refund-{$order->get_id()}",
            self::LOCK_SECONDS,
            static function () use ($order, $attempt, $francs, $shopRefund) {
                return self::send($order, $attempt, $francs, $shopRefund);
            }
        );
        return $done ?? self::error(__('Another refund of this order is being made. Look again in a moment.', 'karba'));
    }

    /**
     * Brings the order to what Karba says about its refunds.
     *
     * @throws KarbaException
     */
    public static function lookAt(Attempt $attempt): void
    {
        $refunds = self::atKarba(KarbaPayments::client($attempt->environment), $attempt);
        (new DatabaseLocks())->hold(
            "refund-$attempt->orderId",
            self::LOCK_SECONDS,
            static function () use ($attempt, $refunds): bool {
                foreach ($refunds as $refund) {
                    self::write($attempt, $refund);
                }
                return true;
            }
        );
    }

    /** @return true|\WP_Error */
    private static function send(
        \WC_Order $order,
        Attempt $attempt,
        int $francs,
        ?\WC_Order_Refund $shopRefund
    ) {
        $client = KarbaPayments::client($attempt->environment);
        $refusal = self::refuseRepetition($client, $attempt, $francs);
        if ($refusal !== null) {
            return $refusal;
        }
        $shopRefundId = $shopRefund === null ? 0 : $shopRefund->get_id();
        $refundId = 'wc-' . Settings::shopId() . "-$shopRefundId-" . bin2hex(random_bytes(4));
        Database::change(
            'INSERT INTO ' . Database::refunds()
            . ' (refund_id, order_id, reference, amount, state, shop_refund_id, created_at)'
            . " VALUES (%s, %d, '', %d, %s, %d, UTC_TIMESTAMP())",
            [$refundId, $order->get_id(), $francs, self::LOST, $shopRefundId]
        );
        try {
            $made = $client->refundPayment(
                $attempt->transactionId,
                ['amount' => $francs, 'refund_id' => $refundId],
                self::CALL
            );
        } catch (KarbaException $error) {
            return self::afterError($attempt, $refundId, $error);
        }
        if ($made['status'] === self::FAILED) {
            self::setState($refundId, self::FAILED, $made['reference']);
            return self::error(__('The network refused the refund. Nothing was given back.', 'karba'));
        }
        if ($shopRefund !== null) {
            $shopRefund->update_meta_data(self::REFUND_META, $refundId);
            $shopRefund->save();
        }
        self::setState($refundId, $made['status'], $made['reference']);
        $order->add_order_note(self::stateNote($francs, $made['status']));
        (new StoredAttempts())->retryLater($attempt);
        return true;
    }

    private static function refuseRepetition(Client $client, Attempt $attempt, int $francs): ?\WP_Error
    {
        $lost = Database::rows(
            'SELECT refund_id FROM ' . Database::refunds() . ' WHERE order_id = %d AND state = %s',
            [$attempt->orderId, self::LOST]
        );
        if ($lost !== []) {
            try {
                $known = array_column(self::atKarba($client, $attempt), null, 'refund_id');
            } catch (KarbaException $error) {
                return self::error(__('An earlier refund of this order has no answer yet, and Karba cannot be asked now. Try later.', 'karba'));
            }
            foreach ($lost as $row) {
                if (isset($known[$row['refund_id']])) {
                    self::write($attempt, $known[$row['refund_id']]);
                    return self::error(__('An earlier refund of this order was made after all, and is now shown. Reload the page.', 'karba'));
                }
                self::setState((string) $row['refund_id'], self::FAILED, '');
            }
        }
        $repeated = Database::value(
            'SELECT refund_id FROM ' . Database::refunds() . ' WHERE order_id = %d AND amount = %d'
            . ' AND state <> %s AND created_at > UTC_TIMESTAMP() - INTERVAL %d SECOND LIMIT 1',
            [$attempt->orderId, $francs, self::FAILED, self::DOUBLE_CLICK_SECONDS]
        );
        return $repeated === null ? null : self::error(sprintf(
            /* translators: %d: seconds */
            __('This amount was refunded less than %d seconds ago: was it a double click? Reload the page; a further refund of the same amount is possible in a minute.', 'karba'),
            self::DOUBLE_CLICK_SECONDS
        ));
    }

    private static function afterError(Attempt $attempt, string $refundId, KarbaException $error): \WP_Error
    {
        $isLost = $error->isOutcomeUnknown() || in_array(
            $error->errorCode(),
            [KarbaException::NO_ANSWER, KarbaException::UNEXPECTED_ANSWER],
            true
        );
        if ($isLost) {
            (new StoredAttempts())->retryLater($attempt);
            return self::error(__('Karba’s answer was lost: the refund may have been made. The order will show it by itself within five minutes; do not repeat it before.', 'karba'));
        }
        self::setState($refundId, self::FAILED, '');
        $words = [
            'refund_in_part_not_possible' => __('This network refunds whole payments only.', 'karba'),
            'refund_amount_too_large' => __('This is more than what is left of the payment.', 'karba'),
            'payment_not_refundable' => __('This payment cannot be refunded.', 'karba'),
            'key_not_permitted' => __('The key may not refund. Use a key with this right, or refund in Karba’s dashboard.', 'karba'),
        ];
        return self::error($words[$error->errorCode()] ?? $error->getMessage());
    }

    /**
     * @return list<array<string, mixed>>
     * @throws KarbaException
     */
    private static function atKarba(Client $client, Attempt $attempt): array
    {
        try {
            return $client->readRefund($attempt->transactionId, self::READ)['refunds'];
        } catch (KarbaException $error) {
            if ($error->errorCode() === 'refund_not_found') {
                return [];
            }
            throw $error;
        }
    }

    /** @param array<string, mixed> $refund as Karba has it */
    private static function write(Attempt $attempt, array $refund): void
    {
        $name = (string) ($refund['refund_id'] ?? "karba-{$refund['reference']}");
        $amount = (int) $refund['amount'];
        $status = (string) $refund['status'];
        Database::change(
            'INSERT IGNORE INTO ' . Database::refunds()
            . ' (refund_id, order_id, reference, amount, state, created_at)'
            . " VALUES (%s, %d, %s, %d, 'new', UTC_TIMESTAMP())",
            [$name, $attempt->orderId, (string) $refund['reference'], $amount]
        );
        $row = Database::rows(
            'SELECT state, shop_refund_id FROM ' . Database::refunds() . ' WHERE refund_id = %s',
            [$name]
        )[0];
        $order = ShopOrders::fresh($attempt->orderId);
        if ($order === null || $row['state'] === $status) {
            self::setState($name, $status, (string) $refund['reference']);
            return;
        }
        if ($status === self::FAILED) {
            self::undo($order, $name, $amount, $row['state'] !== 'new');
        } elseif (self::shopRefund($order, $name) === null) {
            self::record($order, $name, $amount);
        }
        if ($status !== self::FAILED) {
            $order->add_order_note(self::stateNote($amount, $status));
        }
        self::setState($name, $status, (string) $refund['reference']);
        if (in_array($status, ['pending', 'by_hand', 'waiting_for_approval'], true)) {
            (new StoredAttempts())->retryLater($attempt);
        }
    }

    /** A refund that was made elsewhere, or whose answer was lost, becomes one of the order. */
    private static function record(\WC_Order $order, string $name, int $amount): void
    {
        $most = (int) round((float) $order->get_remaining_refund_amount());
        $refund = wc_create_refund([
            'order_id' => $order->get_id(),
            'amount' => min($amount, $most),
            'reason' => __('Refunded at Karba', 'karba'),
            'refund_payment' => false,
        ]);
        if ($refund instanceof \WC_Order_Refund) {
            $refund->update_meta_data(self::REFUND_META, $name);
            $refund->save();
        }
    }

    /** The customer did not get it: the order shows it as not refunded, and the merchant is told. */
    private static function undo(\WC_Order $order, string $name, int $amount, bool $isOurs): void
    {
        $refund = self::shopRefund($order, $name);
        if ($refund !== null) {
            $refund->delete(true);
        }
        if (!$isOurs) {
            return;
        }
        $text = sprintf(
            /* translators: %s: amount */
            __('Karba: the refund of %s failed at the network. The customer has not received it.', 'karba'),
            Words::francs($amount)
        );
        $order = ShopOrders::fresh($order->get_id());
        if ($order !== null && $order->has_status('refunded')) {
            $order->set_status('on-hold', $text);
            $order->save();
        } elseif ($order !== null) {
            $order->add_order_note($text);
        }
        MerchantMail::about($order === null ? 0 : $order->get_id(), $text);
    }

    private static function shopRefund(\WC_Order $order, string $name): ?\WC_Order_Refund
    {
        foreach ($order->get_refunds() as $refund) {
            if ($refund->get_meta(self::REFUND_META) === $name) {
                return $refund;
            }
        }
        return null;
    }

    private static function setState(string $refundId, string $state, string $reference): void
    {
        Database::change(
            'UPDATE ' . Database::refunds() . ' SET state = %s, reference = %s WHERE refund_id = %s',
            [$state, $reference, $refundId]
        );
    }

    private static function stateNote(int $amount, string $status): string
    {
        $words = [
            /* translators: %s: amount */
            'succeeded' => __('Karba: %s refunded; the customer has received it.', 'karba'),
            /* translators: %s: amount */
            'by_hand' => __('Karba: the refund of %s will be made by hand at the service.', 'karba'),
            /* translators: %s: amount */
            'waiting_for_approval' => __('Karba: the refund of %s waits for a second person at Karba.', 'karba'),
        ];
        /* translators: %s: amount */
        $text = $words[$status] ?? __('Karba: the refund of %s is in progress at the network.', 'karba');
        return sprintf($text, Words::francs($amount));
    }

    private static function paidAttempt(\WC_Order $order): ?Attempt
    {
        foreach ((new StoredAttempts())->ofOrder($order->get_id()) as $attempt) {
            $isNamed = $order->get_meta('_karba_payment') === $attempt->transactionId;
            if ($attempt->hasMoney() && $isNamed) {
                return $attempt;
            }
        }
        return null;
    }

    private static function error(string $text): \WP_Error
    {
        return new \WP_Error('karba_refund', $text);
    }
}
