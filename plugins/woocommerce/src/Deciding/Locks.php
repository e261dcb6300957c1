<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** Locks of the database, which end with the process that holds them. */
interface Locks
{
    /**
     * Runs the work while no other process has the lock.
     *
     * @template Result
     * @param callable(): Result $work
     * @return Result|null null if another process kept the lock for so long
     */
    public function hold(string $name, int $waitSeconds, callable $work);
}
