<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Tests;

use Karba\Facts;
use Karba\WooCommerce\Deciding\Amount;
use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\CancelRule;
use Karba\WooCommerce\Deciding\Decision;
use Karba\WooCommerce\Deciding\Decisions;
use Karba\WooCommerce\Deciding\OrderFacts;
use Karba\WooCommerce\Deciding\PaymentFacts;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/autoload.php';

/** What is decided about an order: a table of one change each against a payment that pays it. */
final class DecisionsTest extends TestCase
{
    /** @param array<string, mixed> $change */
    private static function order(array $change): OrderFacts
    {
        $facts = $change + [
            'status' => 'pending',
            'isPaid' => false,
            'francs' => 1500,
            'currency' => 'XOF',
            'paidBy' => '',
        ];
        return new OrderFacts(
            7,
            $facts['status'],
            $facts['isPaid'],
            $facts['francs'],
            $facts['currency'],
            $facts['paidBy']
        );
    }

    /** @param array<string, mixed> $change */
    private static function payment(array $change): PaymentFacts
    {
        return PaymentFacts::of($change + [
            'status' => 'succeeded',
            'amount' => 1500,
            'external_reference' => 'a',
            'order_reference' => 'shop-7',
            'reference' => 'ref-a',
        ]);
    }

    /** @param array<string, mixed> $change */
    private static function attempt(array $change): Attempt
    {
        $attempt = new Attempt('a', 7, 'shop-7', 'live', Attempt::PROMPT, 1500);
        foreach ($change as $field => $value) {
            $attempt->$field = $value;
        }
        return $attempt;
    }

    /** @return array<string, array{0: string, 1: string, 2: array<string, mixed>, 3?: array<string, mixed>, 4?: array<string, mixed>}> */
    public static function cases(): array
    {
        $paid = ['status' => 'processing', 'isPaid' => true];
        return [
            'a payment that agrees' => [Decision::COMPLETE, '', []],
            'an order that failed before' => [Decision::COMPLETE, '', ['status' => 'failed']],
            'an order on hold' => [Decision::COMPLETE, '', ['status' => 'on-hold']],
            'an attempt that had failed' => [Decision::COMPLETE, '', [], [], ['state' => Attempt::FAILED]],
            'a franc less' => [Decision::HOLD, Decision::AMOUNT_DIFFERS, [], ['amount' => 1499]],
            'a franc more' => [Decision::HOLD, Decision::AMOUNT_DIFFERS, [], ['amount' => 1501]],
            'an order that was edited' => [Decision::HOLD, Decision::AMOUNT_DIFFERS, ['francs' => 2500]],
            'an order with centimes' => [Decision::HOLD, Decision::AMOUNT_DIFFERS, ['francs' => null]],
            'another currency' => [Decision::HOLD, Decision::CURRENCY_DIFFERS, ['currency' => 'EUR']],
            'a cancelled order' => [Decision::HOLD, Decision::ORDER_CLOSED, ['status' => 'cancelled']],
            'an order in the bin' => [Decision::HOLD, Decision::ORDER_CLOSED, ['status' => 'trash']],
            'a state of another plugin' => [Decision::HOLD, Decision::ORDER_CLOSED, ['status' => 'baking']],
            'a test payment in a live shop' =>
                [Decision::HOLD, Decision::TEST_PAYMENT, [], [], ['environment' => 'sandbox']],
            'an order that another payment paid' =>
                [Decision::SURPLUS, Decision::ALREADY_PAID, $paid + ['paidBy' => 'ref-b']],
            'an order that was paid in cash' => [Decision::SURPLUS, Decision::ALREADY_PAID, $paid],
            'an order that was refunded' =>
                [Decision::SURPLUS, Decision::ALREADY_PAID, ['status' => 'refunded', 'paidBy' => 'ref-b']],
            'a second report' => [Decision::FINISH, '', $paid + ['paidBy' => 'ref-a']],
            'an interruption after the state was saved' =>
                [Decision::FINISH, '', $paid, [], ['state' => Attempt::WORKING]],
            'a settled attempt' =>
                [Decision::NOTHING, '', $paid + ['paidBy' => 'ref-a'], [], ['state' => Attempt::SETTLED]],
            'a settled attempt of an order that was cancelled then' =>
                [Decision::NOTHING, '', ['status' => 'cancelled'], [], ['state' => Attempt::SETTLED]],
            'an attempt on hold' => [Decision::NOTHING, '', [], [], ['state' => Attempt::HELD]],
            'a payment of another attempt' =>
                [Decision::NOTHING, Decision::OTHER_PAYMENT, [], ['external_reference' => 'b']],
            'a payment of another order' =>
                [Decision::NOTHING, Decision::OTHER_PAYMENT, [], ['order_reference' => 'shop-8']],
            'a payment without an order' =>
                [Decision::NOTHING, Decision::OTHER_PAYMENT, [], ['order_reference' => null]],
            'a pending payment' => [Decision::WAIT, '', [], ['status' => 'pending']],
            'an unused page' => [Decision::WAIT, '', [], ['status' => 'initiated']],
            'a state that is not known' => [Decision::WAIT, '', [], ['status' => 'paid']],
            'an answer without a state' => [Decision::WAIT, '', [], ['status' => null]],
            'a decline' =>
                [Decision::DECLINE, 'declined', [], ['status' => 'failed', 'failure_reason' => 'declined']],
            'a decline that is known' => [
                Decision::NOTHING,
                'declined',
                [],
                ['status' => 'failed', 'failure_reason' => 'declined'],
                ['state' => Attempt::FAILED, 'reason' => 'declined'],
            ],
            'money that was given back at once' => [Decision::RETURNED, '', [], ['status' => 'refunded']],
            'a refund of the payment that paid' =>
                [Decision::FINISH, '', $paid + ['paidBy' => 'ref-a'], ['status' => 'refunded']],
        ];
    }

    /**
     * @dataProvider cases
     * @param array<string, mixed> $order
     * @param array<string, mixed> $payment
     * @param array<string, mixed> $attempt
     */
    public function testDecides(
        string $is,
        string $why,
        array $order,
        array $payment = [],
        array $attempt = []
    ): void {
        $decision = (new Decisions(true))->about(
            self::order($order),
            self::attempt($attempt),
            self::payment($payment)
        );
        self::assertSame([$is, $why], [$decision->is, $decision->why]);
    }

    public function testASandboxPaymentCompletesAnOrderWhileTheShopIsInTheSandbox(): void
    {
        $attempt = self::attempt(['environment' => 'sandbox']);
        $decision = (new Decisions(false))->about(self::order([]), $attempt, self::payment([]));
        self::assertSame(Decision::COMPLETE, $decision->is);
    }

    public function testRealMoneyCompletesAnOrderAlsoAfterTheSwitchToTheSandbox(): void
    {
        $decision = (new Decisions(false))->about(self::order([]), self::attempt([]), self::payment([]));
        self::assertSame(Decision::COMPLETE, $decision->is);
    }

    public function testMoneyForADeletedOrderIsNotSilent(): void
    {
        $decision = (new Decisions(true))->about(null, self::attempt([]), self::payment([]));
        self::assertSame([Decision::HOLD, Decision::ORDER_MISSING], [$decision->is, $decision->why]);
    }

    public function testAPaymentThatKarbaDoesNotKnowIsGoneOnlyLater(): void
    {
        foreach ([0 => Decision::WAIT, 599 => Decision::WAIT, 600 => Decision::GONE] as $age => $is) {
            $attempt = self::attempt(['ageSeconds' => $age]);
            $decision = (new Decisions(true))->about(self::order([]), $attempt, PaymentFacts::notFound());
            self::assertSame($is, $decision->is);
        }
    }

    public function testEachDecisionThatWritesEndsTheAttempt(): void
    {
        $open = [Decision::WAIT, Decision::NOTHING];
        foreach ((new \ReflectionClass(Decision::class))->getConstants() as $name => $is) {
            $isReason = in_array($name, [
                'AMOUNT_DIFFERS', 'CURRENCY_DIFFERS', 'OTHER_PAYMENT', 'TEST_PAYMENT', 'ORDER_CLOSED',
                'ORDER_MISSING', 'ALREADY_PAID',
            ], true);
            if (!$isReason) {
                self::assertSame(in_array($is, $open, true), (new Decision($is))->endsIn() === null, $name);
            }
        }
    }

    public function testKnowsEveryStateOfAPayment(): void
    {
        self::assertSame(['initiated', 'pending', 'succeeded', 'failed', 'refunded'], Facts::PAYMENT_STATUS);
    }

    /** @return array<string, array{bool, array<string, mixed>, array<string, mixed>|null}> */
    public static function cancels(): array
    {
        $failed = static function (string $reason): array {
            return ['status' => 'failed', 'failure_reason' => $reason];
        };
        $day = ['ageSeconds' => 86400];
        return [
            'Karba does not answer' => [false, [], null],
            'pending' => [false, [], ['status' => 'pending']],
            'pending for a day' => [false, $day, ['status' => 'pending']],
            'succeeded' => [false, [], ['status' => 'succeeded']],
            'a state that is not known' => [false, [], ['status' => 'paid']],
            'declined' => [true, [], $failed('declined')],
            'not clear' => [false, [], $failed('operator_error')],
            'not approved in time' => [false, [], $failed('expired')],
            'never received' => [false, [], $failed('never_received')],
            'a reason that is not known' => [false, [], $failed('unheard_of')],
            'not clear, a day ago' => [true, $day, $failed('operator_error')],
            'given back' => [true, [], ['status' => 'refunded']],
            'it paid' => [false, ['state' => Attempt::SETTLED], $failed('declined')],
            'money came' => [false, ['state' => Attempt::HELD], $failed('declined')],
            'refused by Karba' => [true, ['state' => Attempt::REFUSED], null],
        ];
    }

    /**
     * @dataProvider cancels
     * @param array<string, mixed> $attempt
     * @param array<string, mixed>|null $payment
     */
    public function testACancelIsAllowed(bool $is, array $attempt, ?array $payment): void
    {
        $facts = $payment === null ? null : self::payment($payment);
        self::assertSame($is, CancelRule::allows(self::attempt($attempt), $facts));
    }

    public function testTheReasonsThatMayNotTurnAreReasonsOfTheApi(): void
    {
        self::assertSame([], array_diff(CancelRule::FINAL_REASONS, Facts::FAILURE_REASON));
        self::assertSame(
            ['expired', 'operator_error', 'never_received'],
            array_values(array_diff(Facts::FAILURE_REASON, CancelRule::FINAL_REASONS)),
            'a new reason needs a decision'
        );
    }

    /** @return list<array{0: string|int|float, 1: int|null}> */
    public static function sums(): array
    {
        return [
            ['1500', 1500], ['1500.00', 1500], [1500, 1500], [1500.0, 1500], [0.1 + 0.2 + 1499.7, 1500],
            ['1500.50', null], [1500.5, null], ['0', null], ['-5', null], ['', null], ['1 500', null],
            ['1e3', null], ['15oo', null], ["1500\n5", null], ['9999999999999', null], [NAN, null],
        ];
    }

    /**
     * @dataProvider sums
     * @param string|int|float $sum
     */
    public function testAnAmountIsWholeFrancsOrNone($sum, ?int $francs): void
    {
        self::assertSame($francs, Amount::wholeFrancs($sum));
    }
}
