<?php

declare(strict_types=1);

namespace Karba;

/** JSON as the API has it: maps stay maps, and nothing that is not JSON passes. */
final class Json
{
    private const FLAGS = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION;

    /**
     * @param array<string, mixed> $body
     * @throws KarbaException
     */
    public static function encodeBody(array $body): string
    {
        $given = array_filter($body, static function ($value): bool {
            return $value !== null;
        });
        if (isset($given['metadata']) && is_array($given['metadata'])) {
            // An empty array, or one with the keys 0, 1 … would become a list.
            $given['metadata'] = (object) $given['metadata'];
        }
        return self::encode((object) $given);
    }

    /**
     * @param mixed $value
     * @throws KarbaException
     */
    public static function encode($value): string
    {
        $text = json_encode($value, self::FLAGS);
        if ($text === false) {
            throw new KarbaException([
                'code' => KarbaException::CONFIGURATION,
                'message' => 'A value cannot be written as JSON: ' . json_last_error_msg() . '.',
            ]);
        }
        return $text;
    }

    /** @return array<string, mixed>|null null unless it is a JSON object */
    public static function decodeObject(string $text): ?array
    {
        if (strncmp(ltrim($text), '{', 1) !== 0) {
            return null;
        }
        $value = json_decode($text, true);
        return is_array($value) ? $value : null;
    }
}
