<?php

declare(strict_types=1);

namespace Karba\Http;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * Sends requests with your own PSR-18 client. Set its timeout to at most 10 seconds (35 if you wait
 * for payments), and let it neither follow redirects nor repeat requests: PSR-18 cannot say so.
 */
final class Psr18Transport implements Transport
{
    private const CHUNK_BYTES = 65536;

    private ClientInterface $client;
    private RequestFactoryInterface $requests;
    private StreamFactoryInterface $streams;

    public function __construct(
        ClientInterface $client,
        RequestFactoryInterface $requests,
        StreamFactoryInterface $streams
    ) {
        $this->client = $client;
        $this->requests = $requests;
        $this->streams = $streams;
    }

    public function send(Request $request): Response
    {
        $message = $this->requests->createRequest($request->method, $request->url);
        // On a used connection that ends without an answer, clients send a request again by
        // themselves, and the second answer would say that the transaction_id is taken.
        $message = $message->withHeader('connection', 'close');
        foreach ($request->headers as $name => $value) {
            $message = $message->withHeader($name, $value);
        }
        if ($request->body !== null) {
            $message = $message->withBody($this->streams->createStream($request->body));
        }
        try {
            $answer = $this->client->sendRequest($message);
            $stream = $answer->getBody();
            $body = '';
            while (!$stream->eof() && strlen($body) <= $request->mostBytes) {
                $body .= $stream->read(self::CHUNK_BYTES);
            }
        } catch (ClientExceptionInterface | \RuntimeException $error) {
            // Without the error itself, which holds the request and so the key.
            throw new NoAnswer($error->getMessage());
        }
        $headers = [];
        foreach ($answer->getHeaders() as $name => $values) {
            $headers[strtolower((string) $name)] = implode(', ', $values);
        }
        $length = $headers['content-length'] ?? null;
        if ($length !== null && strlen($body) < (int) $length) {
            throw new NoAnswer('The answer was cut.');
        }
        $isTooLong = strlen($body) > $request->mostBytes;
        return new Response($answer->getStatusCode(), $headers, $body, $isTooLong);
    }

    public function __debugInfo(): array
    {
        return [];
    }
}
