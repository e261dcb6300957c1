<?php

declare(strict_types=1);

namespace Karba\Laravel;

use Illuminate\Database\ConnectionInterface;
use Karba\Cursor;

/** The position in the feed as a row, one for each environment. It never goes back. */
final class DatabaseCursor implements Cursor
{
    private ConnectionInterface $db;
    private string $environment;

    public function __construct(ConnectionInterface $db, string $environment)
    {
        $this->db = $db;
        $this->environment = $environment;
    }

    public function read(): ?int
    {
        $after = $this->row()->value('after');
        return $after === null ? null : (int) $after;
    }

    public function keep(int $after): void
    {
        $this->db->table('karba_cursors')->insertOrIgnore([
            'environment' => $this->environment,
            'after' => $after,
        ]);
        $this->row()->where('after', '<', $after)->update(['after' => $after]);
    }

    private function row(): \Illuminate\Database\Query\Builder
    {
        return $this->db->table('karba_cursors')->where('environment', $this->environment);
    }
}
