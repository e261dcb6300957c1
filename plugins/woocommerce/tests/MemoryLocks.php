<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Tests;

use Karba\WooCommerce\Deciding\Locks;

/** A lock that another process may have. */
final class MemoryLocks implements Locks
{
    public bool $isFree = true;

    public function hold(string $name, int $waitSeconds, callable $work)
    {
        return $this->isFree ? $work() : null;
    }
}
