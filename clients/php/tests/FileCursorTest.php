<?php

declare(strict_types=1);

namespace Karba\Tests;

use Karba\FileCursor;
use Karba\KarbaException;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/autoload.php';

final class FileCursorTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/karba-php-' . bin2hex(random_bytes(8));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        foreach ((array) glob("$this->folder/*") as $file) {
            unlink((string) $file);
        }
        rmdir($this->folder);
    }

    public function testThePositionIsReadAgainByTheNextProcess(): void
    {
        $path = "$this->folder/cursor";
        $first = new FileCursor($path);
        self::assertNull($first->read());
        $first->keep(7);
        $first->keep(12);
        unset($first);
        self::assertSame(12, (new FileCursor($path))->read());
        self::assertFileDoesNotExist("$path.new");
    }

    public function testAFileThatWasCutIsNoBeginning(): void
    {
        $path = "$this->folder/cursor";
        foreach (['', '12', 'x', "-1\n", "12\n13\n", str_repeat('9', 30) . "\n"] as $text) {
            file_put_contents($path, $text);
            $error = self::errorOf(static function () use ($path): void {
                (new FileCursor($path))->read();
            });
            self::assertSame('configuration', $error->errorCode());
        }
    }

    public function testASecondReaderOfTheSameFileIsRefused(): void
    {
        $path = "$this->folder/cursor";
        $first = new FileCursor($path);
        $error = self::errorOf(static function () use ($path): void {
            new FileCursor($path);
        });
        self::assertStringContainsString('Another process', $error->getMessage());
        unset($first);
        new FileCursor($path);
    }

    public function testAFolderThatIsNotThereIsNamed(): void
    {
        $error = self::errorOf(function (): void {
            new FileCursor("$this->folder/away/cursor");
        });
        self::assertStringContainsString('is its folder writable', $error->getMessage());
    }

    public function testAPositionThatCannotBeWrittenThrows(): void
    {
        $path = "$this->folder/cursor";
        $cursor = new FileCursor($path);
        $cursor->keep(1);
        mkdir("$path.new");
        $error = self::errorOf(static function () use ($cursor): void {
            $cursor->keep(2);
        });
        rmdir("$path.new");
        self::assertStringContainsString('could not be written', $error->getMessage());
        self::assertSame(1, $cursor->read());
    }

    private static function errorOf(callable $work): KarbaException
    {
        try {
            $work();
        } catch (KarbaException $error) {
            return $error;
        }
        self::fail('it was accepted');
    }
}
