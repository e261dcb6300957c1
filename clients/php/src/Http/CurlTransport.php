<?php

declare(strict_types=1);

namespace Karba\Http;

/** Sends requests with ext-curl, over one connection where that is safe. */
final class CurlTransport implements Transport
{
    private const CONNECT_MS = 5000;

    /** @var resource|\CurlHandle|null */
    private $handle = null;

    public function send(Request $request): Response
    {
        if ($this->handle === null) {
            $made = curl_init();
            if ($made === false) {
                throw new NoAnswer('curl could not be started.');
            }
            $this->handle = $made;
        }
        $headers = [];
        $body = '';
        $isTooLong = false;
        $most = $request->mostBytes;
        curl_reset($this->handle);
        curl_setopt_array($this->handle, $this->optionsFor($request) + [
            CURLOPT_HEADERFUNCTION => static function ($handle, string $line) use (&$headers): int {
                $parts = explode(':', $line, 2);
                if (strncmp($line, 'HTTP/', 5) === 0) {
                    // The head of a final answer follows that of a 100.
                    $headers = [];
                } elseif (count($parts) === 2) {
                    $headers[strtolower($parts[0])] = trim($parts[1]);
                }
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function ($handle, string $chunk) use (&$body, &$isTooLong, $most): int {
                $isTooLong = strlen($body) + strlen($chunk) > $most;
                if ($isTooLong) {
                    return 0;
                }
                $body .= $chunk;
                return strlen($chunk);
            },
        ]);
        $isDone = curl_exec($this->handle);
        if ($isDone === false && !$isTooLong) {
            throw new NoAnswer(curl_error($this->handle), curl_errno($this->handle));
        }
        $status = curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE);
        return new Response((int) $status, $headers, $body, $isTooLong);
    }

    /** @return array<int, mixed> */
    private function optionsFor(Request $request): array
    {
        $lines = ['expect:'];
        foreach ($request->headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        $options = [
            CURLOPT_URL => $request->url,
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_HTTPHEADER => $lines,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_TIMEOUT_MS => max(1, $request->timeoutMs),
            CURLOPT_CONNECTTIMEOUT_MS => max(1, min(self::CONNECT_MS, $request->timeoutMs)),
            CURLOPT_ENCODING => '',
        ];
        if ($request->method === 'POST') {
            // On a used connection that ends without an answer, curl sends a request again by
            // itself, and the second answer would say that the transaction_id is taken.
            $options[CURLOPT_FRESH_CONNECT] = true;
            $options[CURLOPT_POSTFIELDS] = $request->body ?? '';
        }
        return $options;
    }

    public function __debugInfo(): array
    {
        return [];
    }
}
