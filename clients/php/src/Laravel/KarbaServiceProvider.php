<?php

declare(strict_types=1);

namespace Karba\Laravel;

use Illuminate\Contracts\Foundation\Application;
use Illuminate\Support\Facades\Route;
use Illuminate\Support\ServiceProvider;
use Karba\Client;

/** The client by config/karba.php, the webhook's route, and the command that catches up. */
final class KarbaServiceProvider extends ServiceProvider
{
    private const CONFIG = __DIR__ . '/../../config/karba.php';
    private const MIGRATIONS = __DIR__ . '/../../database';

    public function register(): void
    {
        $this->mergeConfigFrom(self::CONFIG, 'karba');
        $this->app->singleton(Client::class, static function (Application $app): Client {
            $config = $app->make('config')->get('karba');
            return new Client(['secret_key' => $config['secret_key'], 'url' => $config['url']]);
        });
    }

    public function boot(): void
    {
        $this->loadMigrationsFrom(self::MIGRATIONS);
        $path = $this->app->make('config')->get('karba.webhook_path');
        if ($path !== null) {
            // Outside of the group `web`: the service sends no CSRF token.
            Route::post($path, WebhookController::class)->name('karba.webhook');
        }
        if ($this->app->runningInConsole()) {
            $this->commands([CatchUpCommand::class]);
            $this->publishes([self::CONFIG => $this->app->configPath('karba.php')], 'karba-config');
        }
    }
}
