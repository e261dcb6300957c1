<?php

declare(strict_types=1);

namespace Karba;

/** The end of a call with its retries. */
final class Deadline
{
    public int $maxRetries;
    private float $endsAtMs;

    public function __construct(int $timeoutMs, int $maxRetries)
    {
        $this->endsAtMs = self::nowMs() + $timeoutMs;
        $this->maxRetries = $maxRetries;
    }

    public function leftMs(): int
    {
        return (int) max(0, ceil($this->endsAtMs - self::nowMs()));
    }

    public function pause(int $ms): void
    {
        usleep(max(0, min($ms, $this->leftMs())) * 1000);
    }

    /** Of a clock that is never set. */
    public static function nowMs(): float
    {
        return hrtime(true) / 1e6;
    }
}
