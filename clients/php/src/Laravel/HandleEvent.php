<?php

declare(strict_types=1);

namespace Karba\Laravel;

use Illuminate\Bus\Queueable;
use Illuminate\Contracts\Queue\ShouldQueue;

/** An event of a webhook in the queue. It comes again by the feed if it fails for good. */
final class HandleEvent implements ShouldQueue
{
    use Queueable;

    public int $tries = 10;
    /** @var list<int> seconds between the tries */
    public array $backoff = [1, 5, 30, 120, 600];
    /** @var array<string, mixed> */
    private array $event;

    /** @param array<string, mixed> $event */
    public function __construct(array $event)
    {
        $this->event = $event;
    }

    public function handle(EventHandler $handler): void
    {
        $handler->handle($this->event);
    }
}
