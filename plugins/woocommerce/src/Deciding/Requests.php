<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** Asks Karba for the payment of an attempt. */
interface Requests
{
    /**
     * @return array<string, mixed> the answer
     * @throws \Karba\KarbaException
     */
    public function send(Attempt $attempt): array;

    /**
     * Closes the page of an attempt. False if it is being paid or was paid.
     *
     * @throws \Karba\KarbaException if Karba could not be asked
     */
    public function closePage(Attempt $attempt): bool;
}
