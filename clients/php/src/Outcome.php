<?php

declare(strict_types=1);

namespace Karba;

/**
 * What became of one request: ANSWERED is a 200; REFUSED an error of the service; TRY_LATER means
 * that nothing was recorded; LOST that the outcome is unknown.
 */
final class Outcome
{
    public const ANSWERED = 'answered';
    public const REFUSED = 'refused';
    public const TRY_LATER = 'try_later';
    public const LOST = 'lost';

    public string $is;
    /** @var array<string, mixed> of an answer that is no file */
    public array $body = [];
    public string $file = '';
    public ?string $requestId = null;
    public ?KarbaException $error = null;
    /** How long the service asks to wait. */
    public int $afterMs = 0;

    private function __construct(string $is)
    {
        $this->is = $is;
    }

    /** @param array<string, mixed> $body */
    public static function answered(array $body, string $file, ?string $requestId): self
    {
        $outcome = new self(self::ANSWERED);
        $outcome->body = $body;
        $outcome->file = $file;
        $outcome->requestId = $requestId;
        return $outcome;
    }

    public static function failed(string $is, KarbaException $error, int $afterMs = 0): self
    {
        $outcome = new self($is);
        $outcome->error = $error;
        $outcome->afterMs = $afterMs;
        return $outcome;
    }

    /** Of an outcome that is no answer. */
    public function error(): KarbaException
    {
        if ($this->error === null) {
            throw new \LogicException('An answer has no error.');
        }
        return $this->error;
    }
}
