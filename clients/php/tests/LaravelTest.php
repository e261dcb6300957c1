<?php

declare(strict_types=1);

namespace Karba\Tests;

use Illuminate\Contracts\Console\Kernel as ConsoleKernel;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Http\Kernel as HttpKernel;
use Illuminate\Foundation\Application;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Event;
use Karba\Client;
use Karba\Http\Response;
use Karba\Http\Transport;
use Karba\Laravel\EventReceived;
use Karba\Laravel\KarbaServiceProvider;
use Karba\Webhook;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/autoload.php';

/** The package in a real Laravel, with its router, its queue and an SQLite file. */
final class LaravelTest extends TestCase
{
    private const AUTOLOAD = '/usr/share/php/Illuminate/autoload.php';
    private const SECRETS = [
        'secret_hash' => 'le mot de la boutique',
        'signing_secret' => 'whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=',
    ];

    private string $folder;
    private Application $app;

    protected function setUp(): void
    {
        if (!is_file(self::AUTOLOAD) && getenv('CI') === false) {
            self::markTestSkipped('there is no Laravel on this machine');
        }
        // Laravel 8 on a newer PHP than its own says what is deprecated in it.
        error_reporting(E_ALL & ~E_DEPRECATED);
        require_once self::AUTOLOAD;
        $this->folder = sys_get_temp_dir() . '/karba-laravel-' . bin2hex(random_bytes(8));
        foreach (['config', 'bootstrap/cache', 'storage/framework', 'storage/logs'] as $each) {
            mkdir("$this->folder/$each", 0700, true);
        }
        touch("$this->folder/shop.db");
        foreach ($this->settings() as $name => $settings) {
            file_put_contents("$this->folder/config/$name.php", '<?php return ' . var_export($settings, true) . ';');
        }
        $this->app = $this->started();
        $this->artisan('migrate', ['--force' => true]);
        DB::connection()->getSchemaBuilder()->create('jobs', static function ($table): void {
            $table->bigIncrements('id');
            $table->string('queue');
            $table->longText('payload');
            $table->unsignedTinyInteger('attempts');
            $table->unsignedInteger('reserved_at')->nullable();
            $table->unsignedInteger('available_at');
            $table->unsignedInteger('created_at');
        });
    }

    protected function tearDown(): void
    {
        if (isset($this->folder)) {
            DB::disconnect();
            exec('rm -rf ' . escapeshellarg($this->folder));
            error_reporting(E_ALL);
            restore_error_handler();
            restore_exception_handler();
        }
    }

    public function testAWebhookIsVerifiedQueuedAndHandledOnce(): void
    {
        $seen = [];
        Event::listen(EventReceived::class, static function (EventReceived $received) use (&$seen): void {
            $seen[] = [$received->kind, $received->event['data']['external_reference']];
        });
        $made = self::made('order-7');
        self::assertSame(204, $this->post($made['headers'], $made['body']));
        self::assertSame(204, $this->post($made['headers'], $made['body']));
        self::assertSame([], $seen, 'the answer left before the listener ran');
        self::assertSame(2, DB::table('jobs')->count());
        $this->artisan('queue:work', ['--once' => true]);
        $this->artisan('queue:work', ['--once' => true]);
        self::assertSame([['payment.succeeded', 'order-7']], $seen);
        self::assertSame(0, DB::table('jobs')->count());
    }

    public function testAForgedWebhookIsRefused(): void
    {
        $made = self::made('order-7');
        $forged = [
            [['secret-hash' => 'x'] + $made['headers'], $made['body']],
            [$made['headers'], str_replace('order-7', 'order-8', $made['body'])],
            [[], $made['body']],
        ];
        foreach ($forged as [$headers, $body]) {
            self::assertSame(401, $this->post($headers, $body));
        }
        self::assertSame(0, DB::table('jobs')->count());
        config(['karba.secret_hash' => null, 'karba.signing_secret' => null]);
        self::assertSame(500, $this->post($made['headers'], $made['body']));
    }

    public function testAListenerThatFailsHasTheEventAgain(): void
    {
        $tries = 0;
        DB::connection()->getSchemaBuilder()->create('deliveries', static function ($table): void {
            $table->string('id')->primary();
        });
        Event::listen(EventReceived::class, static function (EventReceived $received) use (&$tries): void {
            DB::table('deliveries')->insert(['id' => $received->event['data']['external_reference']]);
            if (++$tries === 1) {
                throw new \RuntimeException('the disk is full');
            }
        });
        $made = self::made('order-7');
        self::assertSame(204, $this->post($made['headers'], $made['body']));
        $this->artisan('queue:work', ['--once' => true]);
        self::assertSame([0, 0], [DB::table('deliveries')->count(), DB::table('karba_events')->count()]);
        DB::table('jobs')->update(['available_at' => 0]);
        $this->artisan('queue:work', ['--once' => true]);
        self::assertSame([2, 1], [$tries, DB::table('deliveries')->count()]);
    }

    public function testTheCommandHandlesWhatNoWebhookBrought(): void
    {
        $seen = [];
        Event::listen(EventReceived::class, static function (EventReceived $received) use (&$seen): void {
            $seen[] = $received->event['sequence'];
            if (count($seen) === 3) {
                throw new \RuntimeException('the disk is full');
            }
        });
        $asked = $this->serveFeed(4);
        try {
            $this->artisan('karba:catch-up');
            self::fail('the listener did not fail');
        } catch (\RuntimeException $error) {
            self::assertSame('the disk is full', $error->getMessage());
        }
        self::assertSame(2, (int) DB::table('karba_cursors')->value('after'));
        self::assertSame(0, $this->artisan('karba:catch-up'));
        self::assertSame([1, 2, 3, 3, 4], $seen);
        self::assertSame(0, $this->artisan('karba:catch-up'));
        self::assertSame([1, 2, 3, 3, 4], $seen);
        self::assertSame(['', '2', '4'], $asked->getArrayCopy());
        self::assertSame(1, $this->artisan('karba:catch-up', ['--after' => 'x']));
    }

    public function testARemovedPositionSaysHowToGoOn(): void
    {
        $this->serveFeed(4, 2);
        DB::table('karba_cursors')->insert(['environment' => 'sandbox', 'after' => 1]);
        self::assertSame(1, $this->artisan('karba:catch-up'));
        self::assertStringContainsString('karba:catch-up --after=2', $this->console()->output());
        self::assertSame(0, $this->artisan('karba:catch-up', ['--after' => '2']));
        self::assertSame(4, (int) DB::table('karba_cursors')->value('after'));
    }

    /** @return array<string, array<string, mixed>> */
    private function settings(): array
    {
        $sqlite = ['driver' => 'sqlite', 'database' => "$this->folder/shop.db", 'prefix' => ''];
        return [
            'app' => [
                'env' => 'testing',
                'debug' => false,
                'key' => 'base64:' . base64_encode(str_repeat('k', 32)),
                'cipher' => 'AES-256-CBC',
                'timezone' => 'UTC',
                'locale' => 'fr',
                'providers' => [
                    \Illuminate\Bus\BusServiceProvider::class,
                    \Illuminate\Cache\CacheServiceProvider::class,
                    \Illuminate\Database\DatabaseServiceProvider::class,
                    \Illuminate\Encryption\EncryptionServiceProvider::class,
                    \Illuminate\Filesystem\FilesystemServiceProvider::class,
                    \Illuminate\Foundation\Providers\ConsoleSupportServiceProvider::class,
                    \Illuminate\Foundation\Providers\FoundationServiceProvider::class,
                    \Illuminate\Queue\QueueServiceProvider::class,
                    \Illuminate\Translation\TranslationServiceProvider::class,
                    \Illuminate\View\ViewServiceProvider::class,
                    KarbaServiceProvider::class,
                ],
                'aliases' => [],
            ],
            'cache' => ['default' => 'array', 'stores' => ['array' => ['driver' => 'array']]],
            'database' => [
                'default' => 'sqlite',
                'connections' => ['sqlite' => $sqlite],
                'migrations' => 'migrations',
            ],
            'logging' => ['default' => 'null', 'channels' => ['null' => [
                'driver' => 'monolog',
                'handler' => \Monolog\Handler\NullHandler::class,
            ]]],
            'queue' => [
                'default' => 'database',
                'connections' => ['database' => [
                    'driver' => 'database',
                    'table' => 'jobs',
                    'queue' => 'default',
                    'retry_after' => 90,
                ]],
                'failed' => ['driver' => 'null'],
            ],
            'view' => ['paths' => [], 'compiled' => "$this->folder/storage/framework"],
            'karba' => self::SECRETS + [
                'url' => 'http://127.0.0.1:1',
                'secret_key' => 'sk_sandbox_0123456789',
            ],
        ];
    }

    private function started(): Application
    {
        $app = new Application($this->folder);
        $app->singleton(HttpKernel::class, \Illuminate\Foundation\Http\Kernel::class);
        $app->singleton(ConsoleKernel::class, \Illuminate\Foundation\Console\Kernel::class);
        $app->singleton(ExceptionHandler::class, \Illuminate\Foundation\Exceptions\Handler::class);
        $app->make(ConsoleKernel::class)->bootstrap();
        return $app;
    }

    private function console(): ConsoleKernel
    {
        return $this->app->make(ConsoleKernel::class);
    }

    /** @param array<string, mixed> $arguments */
    private function artisan(string $command, array $arguments = []): int
    {
        return $this->console()->call($command, $arguments);
    }

    /** @param array<string, string> $headers */
    private function post(array $headers, string $body): int
    {
        $server = [];
        foreach ($headers as $name => $value) {
            $server['HTTP_' . strtoupper(str_replace('-', '_', $name))] = $value;
        }
        $request = Request::create('/karba/webhook', 'POST', [], [], [], $server, $body);
        return $this->app->make(HttpKernel::class)->handle($request)->getStatusCode();
    }

    /** @return array{headers: array<string, string>, body: string} */
    private static function made(string $order): array
    {
        $event = ['event' => 'payment.succeeded', 'data' => ['external_reference' => $order]];
        return Webhook::test($event, self::SECRETS);
    }

    /**
     * A service with so many events, of which the first were removed; returns the positions asked for.
     *
     * @return \ArrayObject<int, string>
     */
    private function serveFeed(int $count, int $removedTo = 0): \ArrayObject
    {
        $asked = new \ArrayObject();
        $transport = $this->createStub(Transport::class);
        $transport->method('send')->willReturnCallback(
            static function ($request) use ($asked, $count, $removedTo): Response {
                parse_str((string) parse_url($request->url, PHP_URL_QUERY), $query);
                $after = $query['after'] ?? '';
                $asked->append($after);
                if ($after !== '' && (int) $after < $removedTo) {
                    return new Response(410, [
                        'x-request-id' => 'req_1',
                        'svc-error-code' => 'cursor_too_old',
                        'svc-kept-after' => (string) $removedTo,
                    ], '{"message":"Gone"}');
                }
                $events = [];
                for ($at = max((int) $after, $removedTo) + 1; $at <= $count; $at++) {
                    $events[] = [
                        'id' => "evt_$at",
                        'event' => 'payment.succeeded',
                        'sequence' => $at,
                        'data' => [],
                    ];
                }
                $page = ['events' => $events, 'has_more' => false, 'next' => ['after' => $count]];
                return new Response(200, ['x-request-id' => 'req_1'], (string) json_encode($page));
            }
        );
        $this->app->instance(Client::class, new Client([
            'secret_key' => 'sk_sandbox_0123456789',
            'url' => 'http://127.0.0.1:1',
            'transport' => $transport,
        ]));
        return $asked;
    }
}
