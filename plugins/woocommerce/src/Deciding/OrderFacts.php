<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** An order as the database has it now. */
final class OrderFacts
{
    public int $id;
    /** Without `wc-`. */
    public string $status;
    public bool $isPaid;
    /** Null if it is not in whole francs. */
    public ?int $francs;
    public string $currency;
    /** The payment that WooCommerce recorded, by Karba's reference or another gateway's. */
    public string $paidBy;

    public function __construct(
        int $id,
        string $status,
        bool $isPaid,
        ?int $francs,
        string $currency,
        string $paidBy
    ) {
        $this->id = $id;
        $this->status = $status;
        $this->isPaid = $isPaid;
        $this->francs = $francs;
        $this->currency = $currency;
        $this->paidBy = $paidBy;
    }
}
