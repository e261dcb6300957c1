<?php

declare(strict_types=1);

namespace Karba\Laravel;

use Illuminate\Contracts\Bus\Dispatcher;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Karba\KarbaException;
use Karba\Webhook;

/** Verifies an event and queues it: the answer leaves before your own work begins. */
final class WebhookController
{
    private Repository $config;
    private Dispatcher $dispatcher;

    public function __construct(Repository $config, Dispatcher $dispatcher)
    {
        $this->config = $config;
        $this->dispatcher = $dispatcher;
    }

    /** @throws KarbaException with the code `configuration`, which Laravel reports and answers with 500 */
    public function __invoke(Request $request): Response
    {
        $secrets = [
            'secret_hash' => $this->config->get('karba.secret_hash'),
            'signing_secret' => $this->config->get('karba.signing_secret'),
        ];
        try {
            $event = Webhook::verify((string) $request->getContent(), $request->headers->all(), $secrets);
        } catch (KarbaException $error) {
            if ($error->errorCode() === KarbaException::WEBHOOK_NOT_VALID) {
                return new Response('', 401);
            }
            throw $error;
        }
        $job = new HandleEvent($event);
        $job->onConnection($this->config->get('karba.queue_connection'));
        $job->onQueue($this->config->get('karba.queue'));
        $this->dispatcher->dispatch($job);
        return new Response('', 204);
    }
}
