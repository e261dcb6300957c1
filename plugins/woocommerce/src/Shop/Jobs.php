<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\KarbaException;
use Karba\WooCommerce\Deciding\Attempt;

/** What runs without a customer: the catch-up every five minutes, and the question before a cancel. */
final class Jobs
{
    public const HOOK = 'karba_catch_up';
    private const EVERY_SECONDS = 300;
    /** The jobs of WordPress are late or off: a visit starts the catch-up instead. */
    private const LATE_SECONDS = 360;
    private const BUDGET_SECONDS = 50;

    public static function start(): void
    {
        add_filter('cron_schedules', [self::class, 'addSchedule']);
        add_action(self::HOOK, [self::class, 'catchUp']);
        add_action('init', [self::class, 'schedule']);
        add_action('shutdown', [self::class, 'catchUpIfLate']);
        add_action('woocommerce_api_' . self::HOOK, [self::class, 'catchUpNow']);
        add_filter('woocommerce_cancel_unpaid_order', [self::class, 'mayCancel'], 100, 2);
        add_action('woocommerce_order_status_cancelled', [self::class, 'afterCancel'], 10, 1);
        add_action('woocommerce_email_sent', [self::class, 'noteMail'], 10, 3);
    }

    /**
     * @param array<string, array{interval: int, display: string}> $schedules
     * @return array<string, array{interval: int, display: string}>
     */
    public static function addSchedule(array $schedules): array
    {
        $schedules['karba'] = ['interval' => self::EVERY_SECONDS, 'display' => 'Karba'];
        return $schedules;
    }

    public static function schedule(): void
    {
        if (Settings::url() !== '' && wp_next_scheduled(self::HOOK) === false) {
            wp_schedule_event(time(), 'karba', self::HOOK);
        }
    }

    /** One run at a time; what is left is done by another run at once. */
    public static function catchUp(): void
    {
        $isMore = (new DatabaseLocks())->hold('catch-up', 0, static function (): bool {
            return self::run();
        });
        if ($isMore === true) {
            wp_schedule_single_event(time(), self::HOOK, ['more']);
            spawn_cron();
        }
    }

    public static function catchUpIfLate(): void
    {
        if (Settings::url() === '' || wp_doing_cron()) {
            return;
        }
        $age = StoredState::ageSeconds('catch-up');
        if (($age === null || $age > self::LATE_SECONDS) && StoredState::isTurn('catch-up-visit', 60)) {
            wp_remote_post(add_query_arg('wc-api', self::HOOK, home_url('/')), [
                'blocking' => false,
                'timeout' => 1,
                'sslverify' => false,
            ]);
        }
    }

    /** Anyone may ask for it; it runs only when the job of WordPress is late. */
    public static function catchUpNow(): void
    {
        $age = StoredState::ageSeconds('catch-up');
        if ($age === null || $age > self::LATE_SECONDS) {
            ignore_user_abort(true);
            self::catchUp();
        }
        exit;
    }

    /**
     * @param bool $mayCancel
     * @param \WC_Order $order
     */
    public static function mayCancel($mayCancel, $order): bool
    {
        return (bool) $mayCancel && Wiring::beforeCancel()->mayCancel($order->get_id());
    }

    /** @param int $orderId */
    public static function afterCancel($orderId): void
    {
        Wiring::beforeCancel()->closePages((int) $orderId);
    }

    /**
     * @param bool $isSent
     * @param string $kind
     * @param \WC_Email $email
     */
    public static function noteMail($isSent, $kind, $email): void
    {
        $isToCustomer = in_array($kind, ['customer_processing_order', 'customer_completed_order'], true);
        if ($isToCustomer && $email->object instanceof \WC_Order) {
            (new StoredAttempts())->recordCustomerMail($email->object->get_id());
        }
    }

    private static function run(): bool
    {
        // PHP's own limit does not count waiting, so this is enough for slow answers too.
        if (function_exists('set_time_limit')) {
            set_time_limit(4 * self::BUDGET_SECONDS);
        }
        $endsAt = microtime(true) + self::BUDGET_SECONDS;
        $hasTime = static function () use ($endsAt): bool {
            return microtime(true) < $endsAt;
        };
        $isMore = false;
        $said = '';
        foreach (self::environments() as $environment) {
            try {
                $isMore = Wiring::catchUp($environment, $hasTime)->run() || $isMore;
            } catch (KarbaException $error) {
                Wiring::log($error->getMessage());
                $said = $error->getMessage();
            }
        }
        StoredState::write('catch-up', $said);
        return $isMore;
    }

    /** @return list<string> the chosen one, and the other while it has open payments */
    private static function environments(): array
    {
        $chosen = Settings::environment();
        $other = $chosen === 'live' ? 'sandbox' : 'live';
        $counts = (new StoredAttempts())->counts($other);
        $isOtherOpen = ($counts[Attempt::OPEN] ?? 0) + ($counts[Attempt::WORKING] ?? 0) > 0;
        $environments = $isOtherOpen ? [$chosen, $other] : [$chosen];
        return array_values(array_filter($environments, static function (string $each): bool {
            return Settings::key($each) !== '';
        }));
    }
}
