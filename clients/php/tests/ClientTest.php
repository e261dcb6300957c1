<?php

declare(strict_types=1);

namespace Karba\Tests;

use Karba\Client;
use Karba\Cursor;
use Karba\Facts;
use Karba\Http\NoAnswer;
use Karba\Http\Request;
use Karba\Http\Response;
use Karba\Http\Transport;
use Karba\KarbaException;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/autoload.php';

/** What only PHP has; clients/conformance tests the rest on a real service. */
final class ClientTest extends TestCase
{
    private const KEY = 'sk_live_0123456789abcdef';
    private const ORDER = [
        'amount' => 1500,
        'country' => 'NE',
        'currency' => 'XOF',
        'msisdn' => '96123456',
        'transaction_id' => 'order-1',
        'customer_name' => 'Awa Diallo',
    ];

    public function testATraceHasNoArguments(): void
    {
        ini_set('zend.exception_ignore_args', '0');
        foreach (['', 'http://127.0.0.1:1'] as $url) {
            try {
                $client = new Client(['secret_key' => self::KEY, 'url' => $url, 'max_retries' => 0]);
                $client->createPayment(self::ORDER);
                self::fail('it was accepted');
            } catch (KarbaException $error) {
                $all = print_r($error->getTrace(), true) . $error . print_r($error->getPrevious(), true);
                self::assertStringNotContainsString(substr(self::KEY, 8, 6), $all);
                self::assertStringNotContainsString('96123456', $all);
            }
        }
    }

    public function testAnArrayOfNumberedMetadataStaysAMap(): void
    {
        $bodies = [
            '{"0":"a","1":"b"}' => ['a', 'b'],
            '{}' => [],
            '{"shop":"é/"}' => ['shop' => 'é/'],
        ];
        foreach ($bodies as $json => $metadata) {
            [$client, $sent] = self::answering('{"status":"pending","reference":"r","public_reference":"p"}');
            $client->createPayment(self::ORDER + ['metadata' => $metadata, 'order_reference' => null]);
            self::assertStringContainsString("\"metadata\":$json", (string) $sent[0]->body);
            self::assertStringNotContainsString('order_reference', (string) $sent[0]->body);
        }
    }

    public function testTextThatIsNoUtf8IsRefusedBeforeARequest(): void
    {
        [$client, $sent] = self::answering('{}');
        try {
            $client->createPayment(['customer_name' => "\xff"] + self::ORDER);
            self::fail('it was accepted');
        } catch (KarbaException $error) {
            self::assertSame('configuration', $error->errorCode());
            self::assertCount(0, $sent);
        }
    }

    public function testAnAmountInWordsIsRecognisedAfterALostAnswer(): void
    {
        $payment = ['external_reference' => 'order-1', 'amount' => 1500, 'msisdn' => '96123456'];
        $found = $payment + ['reference' => 'r', 'status' => 'pending', 'public_reference' => 'p'];
        foreach ([1500, '1500', '1500.00'] as $amount) {
            [$client] = self::answering(null, (string) json_encode($found));
            $created = $client->createPayment(['amount' => $amount] + self::ORDER);
            self::assertSame(['reference' => 'r', 'status' => 'pending', 'public_reference' => 'p'], $created);
        }
    }

    public function testACursorIsReadOnceAndKeptAfterEachEvent(): void
    {
        $events = [['sequence' => 8], ['sequence' => 9]];
        $page = ['events' => $events, 'has_more' => false, 'next' => ['after' => 9]];
        [$client, $sent] = self::answering((string) json_encode($page));
        $cursor = new class implements Cursor {
            /** @var list<int> */
            public array $kept = [];

            public function read(): ?int
            {
                return 7;
            }

            public function keep(int $after): void
            {
                $this->kept[] = $after;
            }
        };
        $seen = [];
        foreach ($client->events(['cursor' => $cursor]) as $event) {
            $seen[] = [$event['sequence'], $cursor->kept];
        }
        self::assertSame([[8, []], [9, [8]]], $seen);
        self::assertSame([8, 9], $cursor->kept);
        self::assertStringEndsWith('/events?after=7&limit=100', $sent[0]->url);
    }

    public function testAClientCannotBeSerialised(): void
    {
        $client = new Client(['secret_key' => self::KEY, 'url' => 'http://127.0.0.1:1']);
        self::assertSame('live', $client->environment());
        $this->expectExceptionMessage('not allowed');
        serialize($client);
    }

    public function testItHasAMethodForEachOperation(): void
    {
        $file = __DIR__ . '/../../../docs/openapi.json';
        $paths = json_decode((string) file_get_contents($file), true)['paths'];
        $ofPages = ['createLinkFromPage', 'askBeforeLinkFromPage'];
        $missing = [];
        $count = 0;
        foreach ($paths as $item) {
            foreach ($item as $operation) {
                $id = $operation['operationId'] ?? $ofPages[0];
                $count++;
                if (!in_array($id, $ofPages, true) && !method_exists(Client::class, $id)) {
                    $missing[] = $id;
                }
            }
        }
        self::assertSame([], $missing);
        self::assertGreaterThan(15, $count);
        self::assertContains('cursor_too_old', Facts::ERROR_CODE);
    }

    public function testTheReadmeNamesEachMethod(): void
    {
        $readme = (string) file_get_contents(__DIR__ . '/../README.md');
        $missing = array_filter(get_class_methods(Client::class), static function (string $name) use ($readme): bool {
            return strncmp($name, '__', 2) !== 0 && strpos($readme, "$name(") === false;
        });
        self::assertSame([], array_values($missing));
    }

    /**
     * A client whose service gives these answers, the last again and again; null is a lost one.
     *
     * @return array{0: Client, 1: \ArrayObject<int, Request>}
     */
    private static function answering(?string ...$bodies): array
    {
        $sent = new \ArrayObject();
        $transport = new class ($bodies, $sent) implements Transport {
            /** @var array<int, string|null> */
            private array $bodies;
            /** @var \ArrayObject<int, Request> */
            private \ArrayObject $sent;

            /**
             * @param array<int, string|null> $bodies
             * @param \ArrayObject<int, Request> $sent
             */
            public function __construct(array $bodies, \ArrayObject $sent)
            {
                $this->bodies = $bodies;
                $this->sent = $sent;
            }

            public function send(Request $request): Response
            {
                $this->sent->append($request);
                $body = count($this->bodies) > 1 ? array_shift($this->bodies) : $this->bodies[0];
                if ($body === null) {
                    throw new NoAnswer('lost');
                }
                return new Response(200, ['x-request-id' => 'req_1'], $body);
            }
        };
        $client = new Client([
            'secret_key' => self::KEY,
            'url' => 'http://127.0.0.1:1',
            'transport' => $transport,
        ]);
        return [$client, $sent];
    }
}
