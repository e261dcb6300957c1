<?php

declare(strict_types=1);

namespace Karba;

/**
 * A position in a file, which is replaced as a whole: after a crash it has the old or the new
 * position. While the object lives, a second process with the same file is refused.
 */
final class FileCursor implements Cursor
{
    private string $path;
    /** @var resource */
    private $lock;

    /** @throws KarbaException with the code `configuration` */
    public function __construct(string $path)
    {
        $this->path = $path;
        $lock = @fopen("$path.lock", 'c');
        if ($lock === false) {
            throw self::misused("The cursor $path cannot be stored: is its folder writable?");
        }
        if (!flock($lock, LOCK_EX | LOCK_NB)) {
            throw self::misused("Another process reads the feed with the cursor $path.");
        }
        $this->lock = $lock;
    }

    public function __destruct()
    {
        if (isset($this->lock)) {
            fclose($this->lock);
        }
    }

    public function read(): ?int
    {
        if (!file_exists($this->path)) {
            return null;
        }
        $text = (string) file_get_contents($this->path);
        if (preg_match('/^\d{1,15}\n\z/', $text) !== 1) {
            // To begin again from the oldest event would handle all of them twice.
            throw self::misused("The file $this->path has no position of the feed.");
        }
        return (int) $text;
    }

    public function keep(int $after): void
    {
        $file = @fopen("$this->path.new", 'w');
        $isWritten = $file !== false && fwrite($file, "$after\n") === strlen("$after\n") && fflush($file);
        if ($file !== false) {
            // Older versions of PHP cannot wait for the disk.
            $isWritten = $isWritten && (!function_exists('fsync') || fsync($file));
            fclose($file);
        }
        if (!$isWritten || !@rename("$this->path.new", $this->path)) {
            throw self::misused("The position could not be written to $this->path.");
        }
    }

    private static function misused(string $message): KarbaException
    {
        return new KarbaException(['code' => KarbaException::CONFIGURATION, 'message' => $message]);
    }
}
