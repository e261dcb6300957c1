<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\KarbaException;
use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\BeforeCancel;
use Karba\WooCommerce\Deciding\Beginning;
use Karba\WooCommerce\Deciding\CatchUp;
use Karba\WooCommerce\Deciding\Decision;
use Karba\WooCommerce\Deciding\Decisions;
use Karba\WooCommerce\Deciding\Settlement;

/** Puts the parts together. */
final class Wiring
{
    public static function settlement(): Settlement
    {
        return new Settlement(
            new StoredAttempts(),
            new ShopOrders(),
            new KarbaPayments(),
            new DatabaseLocks(),
            new Decisions(Settings::isLive())
        );
    }

    /** @param array<string, mixed> $details as KarbaPayments has them */
    public static function beginning(array $details): Beginning
    {
        return new Beginning(
            new StoredAttempts(),
            self::settlement(),
            new KarbaPayments($details),
            new DatabaseLocks()
        );
    }

    public static function beforeCancel(): BeforeCancel
    {
        $payments = new KarbaPayments();
        return new BeforeCancel(new StoredAttempts(), $payments, $payments, self::settlement());
    }

    /**
     * @param callable(): bool $hasTime
     * @throws KarbaException
     */
    public static function catchUp(string $environment, callable $hasTime): CatchUp
    {
        $feed = new StoredFeed(
            KarbaPayments::client($environment),
            (string) (Settings::account($environment)['account_id'] ?? $environment)
        );
        return new CatchUp(
            $feed,
            new StoredAttempts(),
            self::settlement(),
            $environment,
            [Refunds::class, 'lookAt'],
            $hasTime
        );
    }

    /** Asks Karba now, and logs what prevents it. Null if it could not be asked. */
    public static function lookAt(Attempt $attempt): ?Decision
    {
        try {
            $decision = self::settlement()->check($attempt);
            $now = (new StoredAttempts())->find($attempt->transactionId);
            if ($now !== null && $attempt->hasMoney()) {
                Refunds::lookAt($now);
            }
            return $decision;
        } catch (KarbaException $error) {
            self::log($error->getMessage());
            (new StoredAttempts())->retryLater($attempt);
            return null;
        }
    }

    public static function log(string $text): void
    {
        wc_get_logger()->warning($text, ['source' => 'karba']);
    }
}
