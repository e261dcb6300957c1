<?php

// The settings of Karba in Laravel: `php artisan vendor:publish --tag=karba-config` copies this file.
return [
    // The address of the service, and `sk_sandbox_…` or `sk_live_…`.
    'url' => env('KARBA_URL'),
    'secret_key' => env('KARBA_SECRET_KEY'),

    // Of your webhook endpoint: one of them, or both.
    'secret_hash' => env('KARBA_SECRET_HASH'),
    'signing_secret' => env('KARBA_SIGNING_SECRET'),

    // Where the service posts its events; null for a route of your own.
    'webhook_path' => 'karba/webhook',

    // The queue for events; null for the usual ones.
    'queue_connection' => null,
    'queue' => null,
];
