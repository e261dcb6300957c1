<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** Reads payments at Karba. */
interface Payments
{
    /** @throws \Karba\KarbaException if Karba could not be asked */
    public function read(Attempt $attempt): PaymentFacts;
}
