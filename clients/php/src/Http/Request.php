<?php

declare(strict_types=1);

namespace Karba\Http;

/** What a transport sends. */
final class Request
{
    public string $method;
    public string $url;
    /** @var array<string, string> by names in lower case */
    public array $headers;
    public ?string $body;
    /** How long the whole exchange may take. */
    public int $timeoutMs;
    /** A longer answer is not read to its end. */
    public int $mostBytes;

    /** @param array<string, string> $headers */
    public function __construct(
        string $method,
        string $url,
        array $headers,
        ?string $body,
        int $timeoutMs,
        int $mostBytes
    ) {
        $this->method = $method;
        $this->url = $url;
        $this->headers = $headers;
        $this->body = $body;
        $this->timeoutMs = $timeoutMs;
        $this->mostBytes = $mostBytes;
    }

    /** @return array<string, mixed> without the key */
    public function __debugInfo(): array
    {
        return ['method' => $this->method, 'url' => $this->url];
    }
}
