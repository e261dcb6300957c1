<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** Money is in whole francs. */
final class Amount
{
    public const CURRENCY = 'XOF';

    /**
     * Null unless the sum is positive and has no centimes: to round it would ask for another sum
     * than the order shows.
     *
     * @param string|int|float $total as WooCommerce has it
     */
    public static function wholeFrancs($total): ?int
    {
        // A float that WooCommerce computed, such as 0.1 + 0.2, is whole within its precision.
        $text = is_float($total) ? number_format($total, 4, '.', '') : trim((string) $total);
        if (preg_match('/^(\d{1,12})(?:\.0*)?\z/', $text, $found) !== 1) {
            return null;
        }
        $francs = (int) $found[1];
        return $francs > 0 ? $francs : null;
    }
}
