<?php

declare(strict_types=1);

namespace Karba;

/** Error reports print the arguments of a trace, and the secret key may be among them. */
final class Trace
{
    public static function removeArguments(\Exception $error): void
    {
        $property = new \ReflectionProperty(\Exception::class, 'trace');
        if (PHP_VERSION_ID < 80100) {
            $property->setAccessible(true);
        }
        $frames = [];
        foreach ($error->getTrace() as $frame) {
            unset($frame['args']);
            $frames[] = $frame;
        }
        $property->setValue($error, $frames);
    }
}
