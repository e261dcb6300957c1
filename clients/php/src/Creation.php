<?php

declare(strict_types=1);

namespace Karba;

/**
 * Creates once although answers may be lost. The service never records one name twice, so this
 * reads by that name before it sends again, and treats the 422 of its own repetition as success.
 */
final class Creation
{
    private Connection $connection;
    private Call $request;
    private Call $lookAt;
    /** @var callable(?string): Call */
    private $lookAtExisting;
    /** @var callable(array<string, mixed>): (array<string, mixed>|null) */
    private $recognise;

    /**
     * @param Call $lookAt reads by the name of this creation
     * @param callable(?string): Call $lookAtExisting reads the record that exists already, after a 422
     * @param callable(array<string, mixed>): (array<string, mixed>|null) $recognise null if the name
     *     belongs to another record
     */
    public function __construct(
        Connection $connection,
        Call $request,
        Call $lookAt,
        callable $lookAtExisting,
        callable $recognise
    ) {
        $this->connection = $connection;
        $this->request = $request;
        $this->lookAt = $lookAt;
        $this->lookAtExisting = $lookAtExisting;
        $this->recognise = $recognise;
    }

    /**
     * @param array{timeout_ms?: int|null, max_retries?: int|null} $options
     * @return array<string, mixed>
     * @throws KarbaException
     */
    public function send(array $options): array
    {
        $deadline = $this->connection->deadline($options);
        $isLost = false;
        for ($attempt = 1;; $attempt++) {
            $outcome = $this->connection->send($this->request, $deadline);
            if ($outcome->is === Outcome::ANSWERED) {
                return $outcome->body;
            }
            $error = $outcome->error();
            // Without an id, a refusal comes from a proxy, which may have passed the request on.
            if ($outcome->is === Outcome::REFUSED && $error->requestId() !== null) {
                if ($isLost) {
                    return $this->ownOr($error, $deadline);
                }
                throw $error;
            }
            $isLost = $isLost || $outcome->is !== Outcome::TRY_LATER;
            $pauseMs = Connection::pauseAfter($attempt, $outcome);
            if ($attempt > $deadline->maxRetries || $pauseMs >= $deadline->leftMs()) {
                throw $isLost ? self::unknown($error) : $error;
            }
            $deadline->pause($pauseMs);
            $found = $isLost ? $this->look($deadline) : null;
            if ($found !== null) {
                return $found;
            }
        }
    }

    /**
     * A failed read proves nothing: the next attempt decides.
     *
     * @return array<string, mixed>|null
     */
    private function look(Deadline $deadline): ?array
    {
        $look = $this->connection->send($this->lookAt, $deadline);
        return $look->is === Outcome::ANSWERED ? ($this->recognise)($look->body) : null;
    }

    /**
     * After a lost answer, a taken name may be our own. A key that was revoked meanwhile says
     * nothing about the attempt whose answer was lost.
     *
     * @return array<string, mixed>
     * @throws KarbaException
     */
    private function ownOr(KarbaException $error, Deadline $deadline): array
    {
        if (in_array($error->status(), [401, 403], true)) {
            throw self::unknown($error);
        }
        if ($error->status() !== 422) {
            throw $error;
        }
        try {
            $look = $this->connection->repeat(
                ($this->lookAtExisting)($error->existingReference()),
                $deadline
            );
        } catch (KarbaException $cause) {
            throw $cause->status() === 404 ? $error : self::unknown($cause);
        }
        $found = ($this->recognise)($look->body);
        if ($found === null) {
            throw $error;
        }
        return $found;
    }

    private static function unknown(KarbaException $cause): KarbaException
    {
        return new KarbaException([
            'code' => KarbaException::OUTCOME_UNKNOWN,
            'message' => 'It may have been recorded: read it by its transaction_id before you try again.',
            'status' => $cause->status(),
            'request_id' => $cause->requestId(),
        ], $cause);
    }
}
