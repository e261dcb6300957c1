<?php

// The events that were handled, so that each is handled once, and the position in the feed.

declare(strict_types=1);

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration
{
    public function up(): void
    {
        Schema::create('karba_events', static function (Blueprint $table): void {
            $table->string('event_id', 64)->primary();
            $table->timestamp('handled_at');
        });
        Schema::create('karba_cursors', static function (Blueprint $table): void {
            $table->string('environment', 16)->primary();
            $table->unsignedBigInteger('after');
        });
    }

    public function down(): void
    {
        Schema::dropIfExists('karba_cursors');
        Schema::dropIfExists('karba_events');
    }
};
