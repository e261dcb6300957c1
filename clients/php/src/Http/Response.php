<?php

declare(strict_types=1);

namespace Karba\Http;

/** A whole answer, or with `isTooLong` the head of one whose body was not read to its end. */
final class Response
{
    public int $status;
    /** @var array<string, string> by names in lower case */
    public array $headers;
    public string $body;
    public bool $isTooLong;

    /** @param array<string, string> $headers by names in lower case */
    public function __construct(int $status, array $headers, string $body, bool $isTooLong = false)
    {
        $this->status = $status;
        $this->headers = $headers;
        $this->body = $body;
        $this->isTooLong = $isTooLong;
    }

    public function header(string $name): ?string
    {
        return $this->headers[$name] ?? null;
    }
}
