<?php

declare(strict_types=1);

namespace Karba;

use Karba\Http\NoAnswer;
use Karba\Http\Request;
use Karba\Http\Response;
use Karba\Http\Transport;

/** Sends requests within the deadline of a call. The caller knows what is safe to repeat. */
final class Connection
{
    private const ATTEMPT_MS = 10000;
    private const FIRST_PAUSE_MS = 200;
    private const LONGEST_PAUSE_MS = 5000;
    /** With the pauses between them, about half a minute. */
    public const MAX_RETRIES = 7;
    public const TIMEOUT_MS = 30000;

    private string $url;
    private SecretKey $key;
    private Transport $transport;
    private int $timeoutMs;
    private int $maxRetries;
    private ?string $lastRequestId = null;

    public function __construct(
        string $url,
        SecretKey $key,
        Transport $transport,
        int $timeoutMs,
        int $maxRetries
    ) {
        $this->url = $url;
        $this->key = $key;
        $this->transport = $transport;
        $this->timeoutMs = $timeoutMs;
        $this->maxRetries = $maxRetries;
    }

    /** @param array{timeout_ms?: int|null, max_retries?: int|null} $options */
    public function deadline(array $options = []): Deadline
    {
        return new Deadline(
            $options['timeout_ms'] ?? $this->timeoutMs,
            $options['max_retries'] ?? $this->maxRetries
        );
    }

    public function lastRequestId(): ?string
    {
        return $this->lastRequestId;
    }

    /** One attempt. */
    public function send(Call $call, Deadline $deadline): Outcome
    {
        $timeoutMs = min($deadline->leftMs(), self::ATTEMPT_MS + $call->answerWithinMs);
        $request = new Request(
            $call->method,
            $this->url . '/api/v1' . $call->path,
            [
                'content-type' => 'application/json',
                'authorization' => 'Bearer ' . $this->key->reveal(),
                'svc-target-environment' => $this->key->environment,
                'svc-payment-type' => $call->paymentType,
                'user-agent' => 'karba-php/' . Version::VERSION . ' php/' . PHP_VERSION,
            ],
            $call->body,
            $timeoutMs,
            $call->mostBytes
        );
        try {
            if ($timeoutMs <= 0) {
                throw new NoAnswer('The deadline has passed.');
            }
            $outcome = $this->judge($this->transport->send($request), $call);
        } catch (NoAnswer $error) {
            $outcome = Outcome::failed(Outcome::LOST, new KarbaException([
                'code' => KarbaException::NO_ANSWER,
                'message' => 'The service at ' . $this->host()
                    . ' could not be reached, or its answer was lost.',
            ], $error));
        }
        if ($outcome->is === Outcome::ANSWERED) {
            $this->lastRequestId = $outcome->requestId;
        }
        return $outcome;
    }

    /**
     * Repeats an idempotent request until it is answered or refused.
     *
     * @throws KarbaException
     */
    public function repeat(Call $call, Deadline $deadline): Outcome
    {
        for ($attempt = 1;; $attempt++) {
            $outcome = $this->send($call, $deadline);
            if ($outcome->is === Outcome::ANSWERED) {
                return $outcome;
            }
            $pauseMs = self::pauseAfter($attempt, $outcome);
            if (
                $outcome->is === Outcome::REFUSED
                || $attempt > $deadline->maxRetries
                || $pauseMs >= $deadline->leftMs()
            ) {
                throw $outcome->error();
            }
            $deadline->pause($pauseMs);
        }
    }

    /** Exponential backoff with jitter, or the Retry-After of the service if that is longer. */
    public static function pauseAfter(int $attempt, Outcome $outcome): int
    {
        $most = min(self::LONGEST_PAUSE_MS, self::FIRST_PAUSE_MS * 2 ** ($attempt - 1));
        return max(intdiv(random_int(500, 1000) * $most, 1000), $outcome->afterMs);
    }

    private function judge(Response $answer, Call $call): Outcome
    {
        $requestId = $answer->header('x-request-id');
        if ($answer->isTooLong) {
            return Outcome::failed(Outcome::LOST, new KarbaException([
                'code' => KarbaException::UNEXPECTED_ANSWER,
                'message' => "The answer has more than $call->mostBytes bytes.",
                'status' => $answer->status,
                'request_id' => $requestId,
            ]));
        }
        if ($call->isFile && $answer->status === 200) {
            return Outcome::answered([], $answer->body, $requestId);
        }
        $body = Json::decodeObject($answer->body);
        if ($answer->status === 200 && $body !== null) {
            return Outcome::answered($body + self::addressesIn($answer), '', $requestId);
        }
        return self::failure($answer, $body);
    }

    /** @param array<string, mixed>|null $body */
    private static function failure(Response $answer, ?array $body): Outcome
    {
        $status = $answer->status;
        $error = self::errorOf($answer, $body);
        // Without an id the answer comes from a proxy, which does not know whether the payment
        // was recorded.
        if ($error->requestId() !== null && ($status === 429 || $status === 503)) {
            $after = $answer->header('retry-after') ?? '';
            $seconds = preg_match('/^\d{1,6}\z/', $after) === 1 ? (int) $after : 0;
            return Outcome::failed(Outcome::TRY_LATER, $error, $seconds * 1000);
        }
        // After a 5xx, a 408 or a truncated 200 the payment may have been recorded.
        $isLost = $status >= 500 || in_array($status, [200, 408, 429], true);
        return Outcome::failed($isLost ? Outcome::LOST : Outcome::REFUSED, $error);
    }

    /** @param array<string, mixed>|null $body */
    private static function errorOf(Response $answer, ?array $body): KarbaException
    {
        $code = $answer->header('svc-error-code') ?? '';
        $message = $body['message'] ?? null;
        $keptAfter = $answer->header('svc-kept-after');
        return new KarbaException([
            'code' => in_array($code, Facts::ERROR_CODE, true) ? $code : KarbaException::UNEXPECTED_ANSWER,
            'message' => is_string($message) ? $message : "The service answered $answer->status.",
            'param' => $answer->header('svc-error-param'),
            'hint' => $answer->header('svc-error-hint'),
            'status' => $answer->status,
            'request_id' => $answer->header('x-request-id'),
            'existing_reference' => $answer->header('svc-existing-reference'),
            'kept_after' => $keptAfter === null ? null : (int) $keptAfter,
            'removed_until' => $answer->header('svc-removed-until'),
        ]);
    }

    /**
     * The addresses of a link's page and of a payment's receipt are in headers.
     *
     * @return array<string, string>
     */
    private static function addressesIn(Response $answer): array
    {
        return array_filter([
            'page_url' => $answer->header('svc-page-url'),
            'receipt_url' => $answer->header('svc-receipt-url'),
        ], 'is_string');
    }

    private function host(): string
    {
        $parts = parse_url($this->url) ?: [];
        return ($parts['host'] ?? '') . (isset($parts['port']) ? ":{$parts['port']}" : '');
    }
}
