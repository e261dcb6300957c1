<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\Client;
use Karba\WooCommerce\Deciding\Feed;

/** The feed of one account, with its position in the shop's database. */
final class StoredFeed implements Feed
{
    private const PAGE = 50;

    private Client $client;
    private string $name;

    public function __construct(Client $client, string $accountId)
    {
        $this->client = $client;
        $this->name = "cursor-$accountId";
    }

    public function cursor(): ?int
    {
        $cursor = StoredState::read($this->name);
        return $cursor === null ? null : (int) $cursor;
    }

    public function keep(?int $from, int $after): bool
    {
        return $from === $after || StoredState::move($this->name, $from === null ? null : (string) $from, (string) $after);
    }

    public function page(?int $after): array
    {
        return $this->client->listEvents(
            ['after' => $after === null ? null : (string) $after, 'limit' => self::PAGE],
            ['timeout_ms' => 10000, 'max_retries' => 1]
        );
    }

    /** A shop that begins now has no payments yet: its first event is the next one. */
    public function begin(): void
    {
        if ($this->cursor() === null) {
            $page = $this->client->listEvents(['after' => 'latest'], ['timeout_ms' => 10000]);
            $this->keep(null, (int) $page['next']['after']);
        }
    }
}
