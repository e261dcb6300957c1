<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** Where the customer goes after "Place order". */
final class Begun
{
    /** To the page that waits for the approval on the phone. */
    public const WAITING = 'waiting';
    /** To Karba's payment page. */
    public const PAGE = 'page';
    /** The order is paid already, or its money is there: never ask twice. */
    public const PAID = 'paid';
    /** Back to the checkout, with a message. */
    public const REFUSED = 'refused';

    /** Reasons of REFUSED that are no codes of the API. */
    public const BUSY = 'busy';
    public const UNREACHABLE = 'unreachable';
    public const OPEN_WITH_OTHER_AMOUNT = 'open_with_other_amount';

    public string $is;
    public ?Attempt $attempt;
    public string $why;

    private function __construct(string $is, ?Attempt $attempt, string $why = '')
    {
        $this->is = $is;
        $this->attempt = $attempt;
        $this->why = $why;
    }

    public static function waiting(Attempt $attempt): self
    {
        return new self(self::WAITING, $attempt);
    }

    public static function page(Attempt $attempt): self
    {
        return new self(self::PAGE, $attempt);
    }

    public static function paid(): self
    {
        return new self(self::PAID, null);
    }

    public static function refused(string $why, ?Attempt $attempt = null): self
    {
        return new self(self::REFUSED, $attempt, $why);
    }
}
