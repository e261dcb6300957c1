<?php

declare(strict_types=1);

namespace Karba\Http;

/** Sends one request once: it repeats nothing and follows no redirect. */
interface Transport
{
    /** @throws NoAnswer when no whole answer arrived */
    public function send(Request $request): Response;
}
