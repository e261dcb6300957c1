<?php

declare(strict_types=1);

namespace Karba;

/**
 * Waits for a payment's outcome by long polls, at least two seconds apart in case the service
 * answers at once.
 */
final class PaymentWait
{
    private const WAIT_MS = 180000;
    private const LONG_POLL_SECONDS = 25;
    private const LEAST_BETWEEN_MS = 2000;
    /** The deadline of the last call goes beyond the timeout by this. */
    private const LEAST_CALL_MS = 5000;

    private Connection $connection;
    private string $path;

    public function __construct(Connection $connection, string $path)
    {
        $this->connection = $connection;
        $this->path = $path;
    }

    /**
     * @param array{timeout_ms?: int|null, max_retries?: int|null} $options
     * @return array<string, mixed>
     * @throws KarbaException
     */
    public function end(array $options): array
    {
        $options['timeout_ms'] = $options['timeout_ms'] ?? self::WAIT_MS;
        $whole = $this->connection->deadline($options);
        for (;;) {
            $askedAt = Deadline::nowMs();
            $leftMs = $whole->leftMs();
            $seconds = min(self::LONG_POLL_SECONDS, intdiv($leftMs, 1000));
            $call = Call::get($this->path, ['wait' => $seconds]);
            $call->answerWithinMs = $seconds * 1000;
            $deadline = new Deadline($leftMs + self::LEAST_CALL_MS, $whole->maxRetries);
            $payment = $this->connection->repeat($call, $deadline)->body;
            $isOpen = in_array($payment['status'] ?? null, ['initiated', 'pending'], true);
            if (!$isOpen || $whole->leftMs() < 1) {
                return $payment;
            }
            $tookMs = (int) (Deadline::nowMs() - $askedAt);
            $whole->pause(max(0, self::LEAST_BETWEEN_MS - $tookMs));
        }
    }
}
