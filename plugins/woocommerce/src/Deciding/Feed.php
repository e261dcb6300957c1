<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** Karba's feed of events with its stored position. */
interface Feed
{
    /** The last event that was handled; null before the first run. */
    public function cursor(): ?int;

    /** Moves on only from the position that this process read: two readers never go back. */
    public function keep(?int $from, int $after): bool;

    /**
     * @return array<string, mixed> a page, as Client::listEvents() has it
     * @throws \Karba\KarbaException
     */
    public function page(?int $after): array;
}
