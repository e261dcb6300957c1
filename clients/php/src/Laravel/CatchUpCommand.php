<?php

declare(strict_types=1);

namespace Karba\Laravel;

use Illuminate\Console\Command;
use Illuminate\Database\ConnectionInterface;
use Karba\Client;
use Karba\KarbaException;

/** Reads what no webhook brought: schedule it, for example every five minutes. */
final class CatchUpCommand extends Command
{
    /** @var string */
    protected $signature = 'karba:catch-up
        {--after= : Go on after this position, when the next events were removed}
        {--follow : Wait for new events, for a process that runs for ever}';
    /** @var string */
    protected $description = 'Handles the events of Karba that no webhook has brought';

    public function handle(Client $karba, EventHandler $handler, ConnectionInterface $db): int
    {
        $cursor = new DatabaseCursor($db, $karba->environment());
        $after = $this->option('after');
        if ($after !== null) {
            if (preg_match('/^\d{1,15}\z/', (string) $after) !== 1) {
                $this->error('--after is a whole number.');
                return 1;
            }
            $cursor->keep((int) $after);
        }
        $new = 0;
        try {
            $options = ['cursor' => $cursor, 'follow' => (bool) $this->option('follow')];
            foreach ($karba->events($options) as $event) {
                $new += $handler->handle($event) ? 1 : 0;
            }
        } catch (KarbaException $error) {
            $this->error($error->getMessage());
            if ($error->errorCode() === 'cursor_too_old') {
                $this->error('List your payments since your last event (Client::eachPayment), then run'
                    . " karba:catch-up --after={$error->keptAfter()}");
            }
            return 1;
        }
        $this->info("$new new events");
        return 0;
    }
}
