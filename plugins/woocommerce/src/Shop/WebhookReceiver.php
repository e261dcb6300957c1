<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\KarbaException;
use Karba\Webhook;

/**
 * Verifies a webhook, notes that its attempt is due, and answers; only then Karba is asked. The body
 * is used for the name of the payment and for nothing else.
 */
final class WebhookReceiver
{
    public const NAME = 'karba_webhook';
    private const MOST_BYTES = 262144;
    private const NOTE_REFUSALS_EVERY_SECONDS = 30;

    public static function receive(): void
    {
        $environment = ($_GET['environment'] ?? '') === 'live' ? 'live' : 'sandbox';
        $body = (string) file_get_contents('php://input', false, null, 0, self::MOST_BYTES + 1);
        $secret = Settings::endpoint($environment)['signing_secret'] ?? '';
        try {
            if (strlen($body) > self::MOST_BYTES) {
                throw new KarbaException([
                    'code' => KarbaException::WEBHOOK_NOT_VALID,
                    'message' => 'It is too long.',
                ]);
            }
            $event = Webhook::verify($body, $_SERVER, ['signing_secret' => $secret]);
        } catch (KarbaException $error) {
            self::refuse($environment, $error);
        }
        try {
            $attempts = self::note($environment, $event);
        } catch (\RuntimeException $error) {
            Wiring::log($error->getMessage());
            self::answer(503);
            exit;
        }
        self::answer(204);
        foreach ($attempts as $attempt) {
            Wiring::lookAt($attempt);
        }
        Jobs::catchUpIfLate();
        exit;
    }

    /** @return never */
    private static function refuse(string $environment, KarbaException $error): void
    {
        // A flood of forged webhooks writes one row twice a minute.
        if (StoredState::isTurn("refusals-$environment", self::NOTE_REFUSALS_EVERY_SECONDS)) {
            StoredState::write("refused-$environment", $error->getMessage());
        }
        self::answer(401);
        exit;
    }

    /**
     * @param array<string, mixed> $event
     * @return list<\Karba\WooCommerce\Deciding\Attempt>
     */
    private static function note(string $environment, array $event): array
    {
        $kind = is_string($event['event'] ?? null) ? $event['event'] : '';
        StoredState::write("webhook-$environment", $kind);
        $data = is_array($event['data'] ?? null) ? $event['data'] : [];
        $name = is_string($data['external_reference'] ?? null) ? $data['external_reference'] : '';
        $attempts = new StoredAttempts();
        $attempt = $name === '' ? null : $attempts->find($name);
        if ($attempt === null || $attempt->environment !== $environment) {
            return [];
        }
        $attempts->makeDue($name);
        return [$attempt];
    }

    private static function answer(int $status): void
    {
        ignore_user_abort(true);
        while (ob_get_level() > 0) {
            ob_end_clean();
        }
        status_header($status);
        header('Content-Length: 0');
        header('Connection: close');
        if (function_exists('fastcgi_finish_request')) {
            fastcgi_finish_request();
        } elseif (function_exists('litespeed_finish_request')) {
            litespeed_finish_request();
        } else {
            flush();
        }
    }
}
