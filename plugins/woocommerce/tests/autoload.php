<?php

declare(strict_types=1);

// Loads the plugin's classes and those of the PHP client, without WordPress.
spl_autoload_register(static function (string $class): void {
    $folders = [
        'Karba\\WooCommerce\\Tests\\' => __DIR__ . '/',
        'Karba\\WooCommerce\\' => __DIR__ . '/../src/',
        'Karba\\' => __DIR__ . '/../../../clients/php/src/',
    ];
    foreach ($folders as $space => $folder) {
        if (strncmp($class, $space, strlen($space)) === 0) {
            $path = $folder . str_replace('\\', '/', substr($class, strlen($space))) . '.php';
            if (is_file($path)) {
                require $path;
            }
            return;
        }
    }
});
