<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\Client;
use Karba\KarbaException;
use Karba\WooCommerce\Deciding\Amount;
use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\PaymentFacts;
use Karba\WooCommerce\Deciding\Payments;
use Karba\WooCommerce\Deciding\Requests;

/** Payments at Karba, each with the key of its own environment. */
final class KarbaPayments implements Payments, Requests
{
    /** A customer or a job waits for a read, and may ask again. */
    private const READ = ['timeout_ms' => 6000, 'max_retries' => 1];
    private const CREATE = ['timeout_ms' => 15000, 'max_retries' => 4];

    /** @var array<string, mixed> */
    private array $details;

    /**
     * @param array<string, mixed> $details of the payment to send: `msisdn`, `country`,
     *     `customer_name`, `title`, `success_url`, `failure_url`, `expires_in_minutes`
     */
    public function __construct(array $details = [])
    {
        $this->details = $details;
    }

    /** @throws KarbaException if the key or the address is missing or malformed */
    public static function client(string $environment): Client
    {
        return new Client([
            'secret_key' => Settings::key($environment),
            'url' => Settings::url(),
        ]);
    }

    public function read(Attempt $attempt): PaymentFacts
    {
        try {
            $payment = self::client($attempt->environment)->readPayment($attempt->transactionId, self::READ);
        } catch (KarbaException $error) {
            if ($error->errorCode() === 'payment_not_found') {
                return PaymentFacts::notFound();
            }
            throw $error;
        }
        return PaymentFacts::of($payment);
    }

    public function send(Attempt $attempt): array
    {
        $client = self::client($attempt->environment);
        $common = [
            'amount' => $attempt->amount,
            'transaction_id' => $attempt->transactionId,
            'order_reference' => $attempt->orderReference,
            'customer_name' => $this->details['customer_name'],
            'metadata' => ['order' => (string) $attempt->orderId, 'shop' => substr(home_url(), 0, 500)],
        ];
        if ($attempt->kind === Attempt::PROMPT) {
            return $client->createPayment($common + [
                'country' => $this->details['country'],
                'currency' => Amount::CURRENCY,
                'msisdn' => $this->details['msisdn'],
            ], self::CREATE);
        }
        return $client->createLink($common + [
            'reference' => $attempt->linkReference,
            'title' => $this->details['title'],
            'on_success_redirection_url' => $this->details['success_url'],
            'on_failed_redirection_url' => $this->details['failure_url'],
            'expires_in_minutes' => $this->details['expires_in_minutes'],
        ], self::CREATE);
    }

    public function closePage(Attempt $attempt): bool
    {
        if ($attempt->kind !== Attempt::PAGE) {
            return false;
        }
        try {
            self::client($attempt->environment)->cancelLink($attempt->linkReference, self::READ);
            return true;
        } catch (KarbaException $error) {
            if (in_array($error->errorCode(), ['link_being_paid', 'link_paid'], true)) {
                return false;
            }
            if ($error->errorCode() === 'payment_not_found') {
                // The link was never created, or its creation is still on its way.
                return $attempt->ageSeconds >= 60;
            }
            throw $error;
        }
    }
}
