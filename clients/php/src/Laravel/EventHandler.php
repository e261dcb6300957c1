<?php

declare(strict_types=1);

namespace Karba\Laravel;

use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Database\ConnectionInterface;

/** Hands an event to the listeners once, though it comes by webhook, feed and replay. */
final class EventHandler
{
    private ConnectionInterface $db;
    private Dispatcher $events;

    public function __construct(ConnectionInterface $db, Dispatcher $events)
    {
        $this->db = $db;
        $this->events = $events;
    }

    /**
     * @param array<string, mixed> $event
     * @return bool whether it was new
     */
    public function handle(array $event): bool
    {
        return $this->db->transaction(function () use ($event): bool {
            // A second process waits here for the end of the first one's transaction.
            $isNew = $this->db->table('karba_events')->insertOrIgnore([
                'event_id' => $event['id'],
                'handled_at' => gmdate('Y-m-d H:i:s'),
            ]) === 1;
            if ($isNew) {
                $this->events->dispatch(new EventReceived($event));
            }
            return $isNew;
        });
    }
}
