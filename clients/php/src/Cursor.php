<?php

declare(strict_types=1);

namespace Karba;

/** Where the position in the feed is stored: a file (FileCursor), or a row of your database. */
interface Cursor
{
    /** The sequence of the last event that was handled; null before the first. */
    public function read(): ?int;

    /** Called with the sequence of each event that was handled. Throws if it cannot be stored. */
    public function keep(int $after): void;
}
