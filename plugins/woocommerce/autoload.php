<?php

declare(strict_types=1);

// The plugin's classes, and those of the PHP client, which build.ts puts into client/.
spl_autoload_register(static function (string $class): void {
    foreach (['Karba\\WooCommerce\\' => '/src/', 'Karba\\' => '/client/'] as $space => $folder) {
        if (strncmp($class, $space, strlen($space)) === 0) {
            $path = __DIR__ . $folder . str_replace('\\', '/', substr($class, strlen($space))) . '.php';
            if (is_file($path)) {
                require $path;
            }
            return;
        }
    }
});
