<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Tests;

use Karba\KarbaException;
use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\Decision;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/autoload.php';

/** From a report to the order: once, whatever is repeated or interrupted. */
final class SettlementTest extends TestCase
{
    private MemoryShop $shop;

    protected function setUp(): void
    {
        $this->shop = new MemoryShop();
    }

    private function open(string $name, int $orderId, string $state = Attempt::OPEN): Attempt
    {
        $attempt = MemoryShop::attempt($name, $orderId);
        $attempt->state = $state;
        $this->shop->attempts[$name] = clone $attempt;
        return $attempt;
    }

    public function testAPaidOrderIsCompletedOnceHoweverOftenItIsReported(): void
    {
        $this->shop->order(7);
        $attempt = $this->open('a', 7);
        $this->shop->karba->pay($attempt);
        for ($report = 0; $report < 20; $report++) {
            $this->shop->settlement()->check($attempt);
        }
        self::assertSame(['complete 7 a'], $this->shop->done);
        self::assertSame(Attempt::SETTLED, $this->shop->attempts['a']->state);
    }

    public function testADeclineThatTurnsPaysTheOrder(): void
    {
        $this->shop->order(7);
        $attempt = $this->open('a', 7);
        $this->shop->karba->pay($attempt, ['status' => 'failed', 'failure_reason' => 'expired']);
        $this->shop->settlement()->check($attempt);
        $this->shop->settlement()->check($attempt);
        $this->shop->karba->pay($attempt);
        $this->shop->settlement()->check($attempt);
        self::assertSame(['decline 7 expired', 'complete 7 a'], $this->shop->done);
    }

    public function testOfTwoPaymentsOnePaysAndTheOtherIsListed(): void
    {
        $this->shop->order(7);
        foreach (['a', 'b'] as $name) {
            $attempt = $this->open($name, 7);
            $this->shop->karba->pay($attempt);
            $this->shop->settlement()->check($attempt);
        }
        self::assertSame(['complete 7 a', 'surplus 7 b'], $this->shop->done);
        self::assertSame(Attempt::HELD, $this->shop->attempts['b']->state);
    }

    public function testAPaymentOfOneOrderNeverPaysAnother(): void
    {
        $this->shop->order(7);
        $this->shop->order(8);
        $seven = $this->open('a', 7);
        $eight = $this->open('b', 8);
        $this->shop->karba->pay($seven);
        $this->shop->karba->payments['b'] = $this->shop->karba->payments['a'];
        $this->shop->settlement()->check($seven);
        $this->shop->settlement()->check($eight);
        self::assertSame(['complete 7 a'], $this->shop->done);
        self::assertFalse($this->shop->orders[8]->isPaid);
    }

    /** @return array<string, array{string, list<string>}> */
    public static function interruptions(): array
    {
        return [
            'after the claim' => ['claimed', ['complete 7 a']],
            'after the state was saved' => ['state saved', ['finish 7 a']],
            'after all was saved' => ['completed', ['complete 7 a', 'finish 7 a']],
        ];
    }

    /**
     * @dataProvider interruptions
     * @param list<string> $done
     */
    public function testAnInterruptedProcessIsFinishedByTheNext(string $at, array $done): void
    {
        $this->shop->order(7);
        $attempt = $this->open('a', 7);
        $this->shop->karba->pay($attempt);
        $this->shop->afterStep = static function (string $step) use ($at): void {
            if ($step === $at) {
                throw new \Error('killed');
            }
        };
        try {
            $this->shop->settlement()->check($attempt);
            self::fail('It was not interrupted.');
        } catch (\Error $killed) {
            self::assertSame('killed', $killed->getMessage());
        }
        $this->shop->afterStep = static function (string $step): void {
        };
        $this->shop->settlement()->check($attempt);
        $this->shop->settlement()->check($attempt);
        self::assertSame($done, $this->shop->done);
        self::assertTrue($this->shop->orders[7]->isPaid);
        self::assertSame('ref-a', $this->shop->orders[7]->paidBy);
    }

    public function testAHoldThatWasInterruptedIsToldAgain(): void
    {
        $this->shop->order(7, 2000);
        $attempt = $this->open('a', 7);
        $this->shop->karba->pay($attempt);
        $this->shop->afterStep = static function (string $step): void {
            if ($step === 'claimed') {
                throw new \Error('killed');
            }
        };
        try {
            $this->shop->settlement()->check($attempt);
        } catch (\Error $killed) {
            self::assertSame([], $this->shop->done);
        }
        $this->shop->afterStep = static function (string $step): void {
        };
        $this->shop->settlement()->check($attempt);
        self::assertSame(['hold 7 ' . Decision::AMOUNT_DIFFERS], $this->shop->done);
    }

    public function testWhileAnotherProcessHasTheOrderNothingIsDone(): void
    {
        $this->shop->order(7);
        $attempt = $this->open('a', 7);
        $this->shop->karba->pay($attempt);
        $this->shop->locks->isFree = false;
        self::assertSame(Decision::WAIT, $this->shop->settlement()->check($attempt)->is);
        self::assertSame([], $this->shop->done);
    }

    public function testWithoutAnAnswerNothingIsDone(): void
    {
        $this->shop->order(7);
        $attempt = $this->open('a', 7);
        $this->shop->karba->pay($attempt);
        $this->shop->karba->isReachable = false;
        $this->expectException(KarbaException::class);
        try {
            $this->shop->settlement()->check($attempt);
        } finally {
            self::assertSame([], $this->shop->done);
        }
    }

    /** @return array<string, array{string, string, bool, string}> */
    public static function cancels(): array
    {
        return [
            'a pending prompt' => [Attempt::PROMPT, 'pending', false, 'pending'],
            'a prompt that was paid meanwhile' => [Attempt::PROMPT, 'succeeded', false, 'processing'],
            'an unused page is closed first' => [Attempt::PAGE, 'initiated', true, 'pending'],
            'a page that is being paid' => [Attempt::PAGE, 'pending', false, 'pending'],
        ];
    }

    /** @dataProvider cancels */
    public function testBeforeACancelKarbaIsAsked(string $kind, string $status, bool $may, string $orderIs): void
    {
        $this->shop->order(7);
        $attempt = $this->open('a', 7);
        $this->shop->attempts['a']->kind = $kind;
        $this->shop->karba->pay($attempt, ['status' => $status]);
        self::assertSame($may, $this->shop->beforeCancel()->mayCancel(7));
        self::assertSame($orderIs, $this->shop->orders[7]->status);
        if ($kind === Attempt::PAGE && $may) {
            self::assertSame('failed', $this->shop->karba->payments['a']['status']);
        }
    }

    public function testAnOrderStaysWhileKarbaCannotBeAsked(): void
    {
        $this->shop->order(7);
        $this->open('a', 7);
        $this->shop->karba->isReachable = false;
        self::assertFalse($this->shop->beforeCancel()->mayCancel(7));
        self::assertArrayHasKey('a', $this->shop->isDue);
    }

    public function testAnOrderWithoutAttemptsMayBeCancelled(): void
    {
        self::assertTrue($this->shop->beforeCancel()->mayCancel(7));
    }
}
