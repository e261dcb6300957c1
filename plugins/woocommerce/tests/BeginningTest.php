<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Tests;

use Karba\KarbaException;
use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\Begun;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/autoload.php';

/** "Place order": at most one open payment an order, whatever the customer clicks. */
final class BeginningTest extends TestCase
{
    private MemoryShop $shop;

    protected function setUp(): void
    {
        $this->shop = new MemoryShop();
        $this->shop->order(7);
    }

    private function begin(string $name, string $kind = Attempt::PROMPT, int $amount = 1500): Begun
    {
        $attempt = MemoryShop::attempt($name, 7, $amount);
        $attempt->kind = $kind;
        return $this->shop->beginning()->begin($attempt);
    }

    public function testASecondClickGetsTheFirstPayment(): void
    {
        self::assertSame(Begun::WAITING, $this->begin('a')->is);
        $second = $this->begin('b');
        self::assertSame([Begun::WAITING, 'a'], [$second->is, $second->attempt->transactionId]);
        self::assertSame(['a'], $this->shop->karba->sent);
    }

    public function testAfterADeclineANewPaymentBegins(): void
    {
        $first = $this->begin('a');
        $this->shop->karba->pay($first->attempt, ['status' => 'failed', 'failure_reason' => 'declined']);
        self::assertSame('b', $this->begin('b')->attempt->transactionId);
        self::assertSame(['a', 'b'], $this->shop->karba->sent);
    }

    public function testAPaidOrderIsNeverAskedAgain(): void
    {
        $this->shop->karba->pay($this->begin('a')->attempt);
        self::assertSame(Begun::PAID, $this->begin('b')->is);
        self::assertSame(['a'], $this->shop->karba->sent);
        self::assertTrue($this->shop->orders[7]->isPaid);
    }

    public function testMoneyOnHoldIsNotAskedForAgain(): void
    {
        $this->shop->karba->pay($this->begin('a')->attempt);
        $this->shop->order(7, 2000);
        self::assertSame(Begun::PAID, $this->begin('b', Attempt::PROMPT, 2000)->is);
        self::assertSame(['a'], $this->shop->karba->sent);
    }

    public function testAnOpenPromptOfAnotherAmountBlocks(): void
    {
        $this->begin('a');
        $begun = $this->begin('b', Attempt::PROMPT, 2000);
        self::assertSame([Begun::REFUSED, Begun::OPEN_WITH_OTHER_AMOUNT], [$begun->is, $begun->why]);
        self::assertSame(['a'], $this->shop->karba->sent);
    }

    public function testAPageIsUsedAgainAndClosedForAPromptOrAnotherAmount(): void
    {
        self::assertSame('https://pay/a', $this->begin('a', Attempt::PAGE)->attempt->pageUrl);
        self::assertSame('a', $this->begin('b', Attempt::PAGE)->attempt->transactionId);
        self::assertSame('c', $this->begin('c')->attempt->transactionId);
        self::assertSame('failed', $this->shop->karba->payments['a']['status']);
    }

    public function testAPageThatIsBeingPaidStays(): void
    {
        $this->begin('a', Attempt::PAGE);
        $this->shop->karba->isPageBeingPaid = true;
        self::assertSame(Begun::PAGE, $this->begin('b')->is);
        self::assertSame(Begun::REFUSED, $this->begin('c', Attempt::PAGE, 2000)->is);
        self::assertSame(['a'], $this->shop->karba->sent);
    }

    public function testAnUnknownOutcomeWaitsAndIsNotSentAgain(): void
    {
        $this->shop->karba->refusal = KarbaException::OUTCOME_UNKNOWN;
        self::assertSame(Begun::WAITING, $this->begin('a')->is);
        self::assertSame('a', $this->begin('b')->attempt->transactionId);
        self::assertSame(['a'], $this->shop->karba->sent);
    }

    public function testARefusalEndsTheAttempt(): void
    {
        $this->shop->karba->refusal = 'msisdn_not_valid';
        $begun = $this->begin('a');
        self::assertSame([Begun::REFUSED, 'msisdn_not_valid'], [$begun->is, $begun->why]);
        self::assertSame(Attempt::REFUSED, $this->shop->attempts['a']->state);
        $this->shop->karba->refusal = null;
        self::assertSame('b', $this->begin('b')->attempt->transactionId);
    }

    public function testWhenAnEarlierAttemptTurnedTheOrderIsPaid(): void
    {
        $first = $this->begin('a')->attempt;
        $this->shop->karba->pay($first, ['status' => 'failed', 'failure_reason' => 'expired']);
        $this->shop->settlement()->check($first);
        $this->shop->karba->pay($first);
        $this->shop->karba->refusal = 'order_reference_taken';
        self::assertSame(Begun::PAID, $this->begin('b')->is);
        self::assertTrue($this->shop->orders[7]->isPaid);
    }

    public function testWhileKarbaCannotBeAskedAboutAnOpenPaymentNoneBegins(): void
    {
        $this->begin('a');
        $this->shop->karba->isReachable = false;
        self::assertSame(Begun::UNREACHABLE, $this->begin('b')->why);
        self::assertSame(['a'], $this->shop->karba->sent);
    }

    public function testAClickBesideAnotherIsToldToWait(): void
    {
        $this->shop->locks->isFree = false;
        self::assertSame(Begun::BUSY, $this->begin('a')->why);
        self::assertSame([], $this->shop->karba->sent);
    }

    public function testACrashAfterTheAttemptWasStoredLosesNothing(): void
    {
        $this->shop->afterStep = static function (string $step): void {
            throw new \Error('killed');
        };
        try {
            $this->begin('a');
        } catch (\Error $killed) {
            self::assertSame([], $this->shop->karba->sent);
        }
        self::assertSame(Attempt::OPEN, $this->shop->attempts['a']->state);
    }
}
