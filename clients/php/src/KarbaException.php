<?php

declare(strict_types=1);

namespace Karba;

/**
 * A refusal of the API, or the reason for a missing answer. Never holds a key.
 *
 * Its message is `Bad Request: Incorrect MSISDN (msisdn_not_valid, msisdn). This number is not valid: …`.
 */
final class KarbaException extends \RuntimeException
{
    /** No answer before the deadline. */
    public const NO_ANSWER = 'no_answer';
    /** An answer without a code that this package knows, such as that of a proxy. */
    public const UNEXPECTED_ANSWER = 'unexpected_answer';
    /** The payment may exist: read it by its transaction_id before anything else. */
    public const OUTCOME_UNKNOWN = 'outcome_unknown';
    /** A wrong option. */
    public const CONFIGURATION = 'configuration';
    /** The webhook is forged, changed or too old. */
    public const WEBHOOK_NOT_VALID = 'webhook_not_valid';

    /** @var array<string, mixed> */
    private array $facts;

    /**
     * @param array{
     *   code: string,
     *   message: string,
     *   param?: string|null,
     *   hint?: string|null,
     *   status?: int|null,
     *   request_id?: string|null,
     *   existing_reference?: string|null,
     *   kept_after?: int|null,
     *   removed_until?: string|null,
     * } $facts
     */
    public function __construct(array $facts, ?\Throwable $previous = null)
    {
        $about = implode(', ', array_filter([$facts['code'], $facts['param'] ?? null]));
        $message = rtrim($facts['message'], '.') . " ($about).";
        $hint = $facts['hint'] ?? null;
        parent::__construct($hint === null ? $message : "$message $hint", $facts['status'] ?? 0, $previous);
        $this->facts = $facts;
        Trace::removeArguments($this);
    }

    /** One of Facts::ERROR_CODE, or a constant of this class. */
    public function errorCode(): string
    {
        return $this->facts['code'];
    }

    /** The field or header at fault, if it is a single one. */
    public function param(): ?string
    {
        return $this->facts['param'] ?? null;
    }

    /** What to do, in one English sentence of the service. */
    public function hint(): ?string
    {
        return $this->facts['hint'] ?? null;
    }

    /** The HTTP status; null without an answer. */
    public function status(): ?int
    {
        return $this->facts['status'] ?? null;
    }

    /** Quote it to the operator of the service. */
    public function requestId(): ?string
    {
        return $this->facts['request_id'] ?? null;
    }

    /** The payment that already has the transaction_id or order_reference. */
    public function existingReference(): ?string
    {
        return $this->facts['existing_reference'] ?? null;
    }

    /** With `cursor_too_old`: the last event that the service removed, to go on after. */
    public function keptAfter(): ?int
    {
        return $this->facts['kept_after'] ?? null;
    }

    /** With `cursor_too_old`: when the last removed event was written. */
    public function removedUntil(): ?string
    {
        return $this->facts['removed_until'] ?? null;
    }

    /** Whether what you asked for may have happened: read before you try again. */
    public function isOutcomeUnknown(): bool
    {
        return $this->facts['code'] === self::OUTCOME_UNKNOWN;
    }
}
