<?php

declare(strict_types=1);

namespace Karba;

/** Keeps the key out of dumps: nothing that prints an object calls a closure. */
final class SecretKey
{
    public string $environment;
    /** @var \Closure(): string */
    private \Closure $reveal;

    /** @throws KarbaException */
    public function __construct(?string $key)
    {
        if ($key === null || $key === '') {
            throw new KarbaException([
                'code' => KarbaException::CONFIGURATION,
                'message' => 'secret_key is not set. Is the secret key in the environment of this process?',
            ]);
        }
        if (preg_match('/^sk_(sandbox|live)_[A-Za-z0-9_]+\z/', $key, $found) !== 1) {
            throw new KarbaException([
                'code' => KarbaException::CONFIGURATION,
                'message' => 'secret_key must begin with sk_sandbox_ or sk_live_,'
                    . ' then have letters and digits: was it copied whole?',
            ]);
        }
        $this->environment = $found[1];
        $this->reveal = static function () use ($key): string {
            return $key;
        };
    }

    public function reveal(): string
    {
        return ($this->reveal)();
    }

    /** @return array<string, string> */
    public function __debugInfo(): array
    {
        return ['environment' => $this->environment];
    }
}
