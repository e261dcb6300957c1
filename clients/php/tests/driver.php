<?php

// The driver of this client for clients/conformance: its README has the commands.

declare(strict_types=1);

namespace Karba\Tests;

use Karba\Client;
use Karba\Http\Psr18Transport;
use Karba\Http\Transport;
use Karba\KarbaException;
use Karba\Webhook;

require __DIR__ . '/autoload.php';

// What a developer's machine has: an uncaught error then prints arguments.
ini_set('zend.exception_ignore_args', '0');
ini_set('display_errors', 'stderr');
error_reporting(E_ALL);
set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    if ((error_reporting() & $level) === 0) {
        return true;
    }
    throw new \ErrorException($message, 0, $level, $file, $line);
});

final class Driver
{
    private const MAPS = ['metadata', 'meta_data'];

    private ?Client $client = null;
    private bool $isGuzzle;

    public function __construct(bool $isGuzzle)
    {
        $this->isGuzzle = $isGuzzle;
    }

    /** Guzzle in the place of ext-curl; its timeout is shorter than any wait of a case. */
    private static function guzzle(): Transport
    {
        require_once '/usr/share/php/GuzzleHttp/autoload.php';
        $messages = new \GuzzleHttp\Psr7\HttpFactory();
        return new Psr18Transport(new \GuzzleHttp\Client(['timeout' => 4]), $messages, $messages);
    }

    /**
     * @param array<string, mixed> $command
     * @return array<string, mixed>
     */
    public function reply(array $command): array
    {
        $id = $command['id'];
        try {
            $answer = $this->answer($command);
            $requestId = $this->client === null ? null : $this->client->lastRequestId();
            return ['id' => $id, 'answer' => (object) self::withMaps($answer), 'request_id' => $requestId];
        } catch (KarbaException $error) {
            return ['id' => $id, 'error' => self::factsOf($error)];
        } catch (\Throwable $error) {
            return ['id' => $id, 'fault' => (string) $error];
        }
    }

    /**
     * @param array<string, mixed> $command
     * @return array<string, mixed>
     */
    private function answer(array $command): array
    {
        switch ($command['do']) {
            case 'open':
                return $this->open($command);
            case 'call':
                return $this->call($command);
            case 'each':
                return ['rows' => $this->rows($command)];
            case 'wait':
                return $this->client()->waitForPayment($command['name'], self::optionsOf($command));
            case 'events':
                return $this->events($command);
            case 'verify_webhook':
                return Webhook::verify(
                    (string) base64_decode($command['body'], true),
                    $command['headers'],
                    self::secretsOf($command)
                );
            case 'test_webhook':
                $signedAt = new \DateTimeImmutable($command['signed_at']);
                return Webhook::test($command['event'], self::secretsOf($command), $signedAt);
            case 'sign_order':
                return ['signed' => $this->client()->signOrder($command['order'])];
            case 'show':
                return ['shown' => self::shownForms($this->client())];
            default:
                throw new \LogicException("there is no {$command['do']}");
        }
    }

    private function client(): Client
    {
        if ($this->client === null) {
            throw new \LogicException('no client is open');
        }
        return $this->client;
    }

    /**
     * @param array<string, mixed> $command
     * @return array<string, mixed>
     */
    private function open(array $command): array
    {
        $this->client = new Client([
            'secret_key' => $command['secret_key'] ?? null,
            'url' => $command['url'] ?? null,
            'transport' => $this->isGuzzle ? self::guzzle() : null,
        ] + self::optionsOf($command));
        return ['environment' => $this->client->environment()];
    }

    /**
     * @param array<string, mixed> $command
     * @return array<string, mixed>
     */
    private function call(array $command): array
    {
        $operation = $command['operation'];
        $options = self::optionsOf($command);
        $query = $command['query'] ?? [];
        $body = $command['body'] ?? [];
        $name = $command['name'] ?? '';
        switch ($operation) {
            case 'createPayment':
            case 'createLink':
            case 'createWebhookEndpoint':
                return $this->client()->$operation($body, $options);
            case 'refundPayment':
            case 'confirmSettlement':
            case 'changeWebhookEndpoint':
            case 'rollWebhookSecret':
                return $this->client()->$operation($name, $body, $options);
            case 'readPayment':
            case 'readRefund':
            case 'readLink':
            case 'cancelLink':
            case 'deleteWebhookEndpoint':
            case 'testWebhookEndpoint':
                return $this->client()->$operation($name, $options);
            case 'readSettlement':
                return $this->client()->readSettlement($name, $query, $options);
            case 'showAccount':
            case 'readBalance':
            case 'listWebhookEndpoints':
                return $this->client()->$operation($options);
            case 'downloadStatement':
            case 'downloadMonth':
                return ['file' => base64_encode($this->client()->$operation($query, $options))];
            default:
                return $this->client()->$operation($query, $options);
        }
    }

    /**
     * @param array<string, mixed> $command
     * @return list<mixed>
     */
    private function rows(array $command): array
    {
        $query = $command['query'] ?? [];
        $iterators = [
            'listPayments' => 'eachPayment',
            'listRefunds' => 'eachRefund',
            'listEntries' => 'eachEntry',
            'listSettlements' => 'eachSettlement',
        ];
        $each = $command['operation'] === 'readSettlement'
            ? $this->client()->eachSettlementLine($command['name'], $query)
            : $this->client()->{$iterators[$command['operation']]}($query);
        $rows = [];
        foreach ($each as $row) {
            $rows[] = $row;
            if (count($rows) >= ($command['most'] ?? PHP_INT_MAX)) {
                break;
            }
        }
        return $rows;
    }

    /**
     * Stops after `take` events as a crash would: the last of them was not handled to its end.
     *
     * @param array<string, mixed> $command
     * @return array<string, mixed>
     */
    private function events(array $command): array
    {
        $kept = null;
        $events = [];
        $options = [
            'after' => $command['after'] ?? null,
            'keep' => static function (int $after) use (&$kept): void {
                $kept = $after;
            },
            'follow' => $command['follow'] ?? false,
            'poll_every_ms' => 50,
        ];
        foreach ($this->client()->events($options) as $event) {
            $events[] = $event;
            if (count($events) >= ($command['take'] ?? PHP_INT_MAX)) {
                break;
            }
        }
        return ['events' => $events, 'kept' => $kept];
    }

    /**
     * @param array<string, mixed> $command
     * @return array<string, mixed>
     */
    private static function optionsOf(array $command): array
    {
        return array_intersect_key($command, array_flip(['timeout_ms', 'max_retries']));
    }

    /**
     * @param array<string, mixed> $command
     * @return array<string, mixed>
     */
    private static function secretsOf(array $command): array
    {
        $names = ['secret_hash', 'signing_secret', 'tolerance_seconds'];
        return array_intersect_key($command, array_flip($names));
    }

    /** @return list<string> */
    private static function shownForms(Client $client): array
    {
        ob_start();
        var_dump($client);
        $dumped = (string) ob_get_clean();
        return [
            print_r($client, true),
            $dumped,
            var_export($client, true),
            print_r((array) $client, true),
            (string) json_encode($client),
        ];
    }

    /** @return array<string, mixed> */
    private static function factsOf(KarbaException $error): array
    {
        return [
            'code' => $error->errorCode(),
            'message' => $error->getMessage(),
            'param' => $error->param(),
            'hint' => $error->hint(),
            'status' => $error->status(),
            'request_id' => $error->requestId(),
            'existing_reference' => $error->existingReference(),
            'kept_after' => $error->keptAfter(),
            'removed_until' => $error->removedUntil(),
            'shown' => $error . print_r($error, true),
        ];
    }

    /**
     * An empty map is an empty array in PHP, and would become a list.
     *
     * @param array<array-key, mixed> $answer
     * @return array<array-key, mixed>
     */
    private static function withMaps(array $answer): array
    {
        foreach ($answer as $name => $value) {
            if (is_array($value)) {
                $inner = self::withMaps($value);
                $answer[$name] = in_array($name, self::MAPS, true) ? (object) $inner : $inner;
            }
        }
        return $answer;
    }
}

$driver = new Driver(in_array('guzzle', $argv, true));
while (($line = fgets(STDIN)) !== false) {
    $reply = $driver->reply(json_decode($line, true));
    fwrite(STDOUT, json_encode($reply, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES) . "\n");
}
