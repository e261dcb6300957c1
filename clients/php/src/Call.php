<?php

declare(strict_types=1);

namespace Karba;

/** A request of one operation, without what the connection adds to each. */
final class Call
{
    /** For lists and records. */
    public const MOST_BYTES = 33554432;
    /** For statements, which may be long, and files. */
    public const MOST_STATEMENT_BYTES = 536870912;

    public string $method;
    /** Below /api/v1, with its query. */
    public string $path;
    public ?string $body = null;
    public string $paymentType = 'mobile';
    /** The duration of a long poll. */
    public int $answerWithinMs = 0;
    public int $mostBytes = self::MOST_BYTES;
    /** Whether the body of a 200 is a file. */
    public bool $isFile = false;

    private function __construct(string $method, string $path)
    {
        $this->method = $method;
        $this->path = $path;
    }

    /** @param array<string, mixed> $query */
    public static function get(string $path, array $query = []): self
    {
        return new self('GET', $path . self::queryOf($query));
    }

    /** @param array<string, mixed>|null $body its null values are left out */
    public static function post(string $path, ?array $body = null): self
    {
        $call = new self('POST', $path);
        $call->body = $body === null ? null : Json::encodeBody($body);
        return $call;
    }

    public function ofLink(): self
    {
        $this->paymentType = 'external_payment';
        return $this;
    }

    public function ofStatement(): self
    {
        $this->mostBytes = self::MOST_STATEMENT_BYTES;
        return $this;
    }

    public function ofFile(): self
    {
        $this->isFile = true;
        return $this->ofStatement();
    }

    /**
     * A part of a path. Names that would change the path are refused.
     *
     * @throws KarbaException
     */
    public static function name(string $name): string
    {
        if (in_array($name, ['', '.', '..'], true)) {
            throw new KarbaException([
                'code' => KarbaException::CONFIGURATION,
                'message' => "'$name' cannot be a reference.",
            ]);
        }
        return rawurlencode($name);
    }

    /** @param array<string, mixed> $query */
    private static function queryOf(array $query): string
    {
        $given = array_filter($query, static function ($value): bool {
            return $value !== null;
        });
        return $given === [] ? '' : '?' . http_build_query($given, '', '&', PHP_QUERY_RFC3986);
    }
}
