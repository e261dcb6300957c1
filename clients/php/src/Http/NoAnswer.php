<?php

declare(strict_types=1);

namespace Karba\Http;

use Karba\Trace;

/** No whole answer arrived: the service may have the request or not. */
final class NoAnswer extends \RuntimeException
{
    public function __construct(string $message, int $code = 0)
    {
        parent::__construct($message, $code);
        Trace::removeArguments($this);
    }
}
