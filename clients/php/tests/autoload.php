<?php

declare(strict_types=1);

// Loads the client without Composer, for its tests.
spl_autoload_register(static function (string $class): void {
    $path = __DIR__ . '/../src/' . str_replace('\\', '/', substr($class, strlen('Karba\\'))) . '.php';
    if (strncmp($class, 'Karba\\', strlen('Karba\\')) === 0 && is_file($path)) {
        require $path;
    }
});
