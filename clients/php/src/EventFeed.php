<?php

declare(strict_types=1);

namespace Karba;

/** The events of an account, page by page. Client::events() has its rules. */
final class EventFeed
{
    private const PAGE = 100;
    private const POLL_EVERY_MS = 1000;
    /** An outage of the service longer than this ends the iteration with an error. */
    private const PAGE_WITHIN_MS = 300000;

    private Connection $connection;

    public function __construct(Connection $connection)
    {
        $this->connection = $connection;
    }

    /**
     * @param array<string, mixed> $options as Client::events()
     * @return \Generator<int, array<string, mixed>>
     * @throws KarbaException
     */
    public function events(array $options): \Generator
    {
        $cursor = $options['cursor'] ?? null;
        $keep = $options['keep'] ?? static function (int $after): void {
        };
        $after = $options['after'] ?? ($cursor instanceof Cursor ? $cursor->read() : null);
        for (;;) {
            $deadline = $this->connection->deadline(['timeout_ms' => self::PAGE_WITHIN_MS]);
            $call = Call::get('/events', ['after' => $after, 'limit' => self::PAGE]);
            $page = $this->connection->repeat($call, $deadline)->body;
            foreach ($page['events'] as $event) {
                yield $event;
                if ($cursor instanceof Cursor) {
                    $cursor->keep($event['sequence']);
                }
                $keep($event['sequence']);
            }
            $after = $page['next']['after'];
            if ($page['has_more']) {
                continue;
            }
            if (!($options['follow'] ?? false)) {
                return;
            }
            usleep(1000 * ($options['poll_every_ms'] ?? self::POLL_EVERY_MS));
        }
    }
}
