<?php

declare(strict_types=1);

namespace Karba\Laravel;

/**
 * Listen to it: `Event::listen(EventReceived::class, …)`. A listener runs once for each event, in a
 * transaction of your database: what it throws rolls back its work, and the event comes again.
 *
 * @phpstan-import-type Event from \Karba\Facts
 */
final class EventReceived
{
    /** Such as `payment.succeeded`. */
    public string $kind;
    /** @var Event */
    public array $event;

    /** @param Event $event */
    public function __construct(array $event)
    {
        $this->kind = $event['event'];
        $this->event = $event;
    }
}
