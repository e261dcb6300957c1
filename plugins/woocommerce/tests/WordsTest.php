<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Tests;

use Karba\Facts;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/autoload.php';

/** Every sentence is in French too, with the same places for values. */
final class WordsTest extends TestCase
{
    private const FOLDER = __DIR__ . '/..';

    /** @return list<string> the English sentences in the code */
    private static function sentences(): array
    {
        $found = [];
        foreach (glob(self::FOLDER . '/src/*/*.php') ?: [] as $file) {
            preg_match_all(
                "/\\b(?:esc_html__|__)\\(\\s*'((?:[^'\\\\]|\\\\.)*)',\\s*'karba'\\s*\\)/",
                (string) file_get_contents($file),
                $matches
            );
            $found = array_merge($found, array_map('stripslashes', $matches[1]));
        }
        return array_values(array_unique($found));
    }

    public function testEachSentenceHasItsFrenchOneAndNoneIsLeftOver(): void
    {
        $french = (require self::FOLDER . '/languages/karba-fr_FR.l10n.php')['messages'];
        $english = self::sentences();
        self::assertGreaterThan(80, count($english));
        self::assertSame([], array_values(array_diff($english, array_keys($french))), 'without French');
        self::assertSame([], array_values(array_diff(array_keys($french), $english)), 'without use');
    }

    public function testPlacesForValuesAreTheSame(): void
    {
        $french = (require self::FOLDER . '/languages/karba-fr_FR.l10n.php')['messages'];
        foreach ($french as $english => $text) {
            self::assertSame(self::places($english), self::places($text), $english);
        }
    }

    public function testEachReasonForAFailureHasItsWords(): void
    {
        $code = (string) file_get_contents(self::FOLDER . '/src/Shop/Words.php');
        foreach (Facts::FAILURE_REASON as $reason) {
            self::assertStringContainsString("'$reason' => __(", $code);
        }
    }

    public function testEachCodeThatTheShopKnowsIsOneOfTheApi(): void
    {
        preg_match_all(
            "/'([a-z]+(?:_[a-z]+)+)' => __\\(/",
            file_get_contents(self::FOLDER . '/src/Shop/Words.php')
            . file_get_contents(self::FOLDER . '/src/Shop/Refunds.php'),
            $matches
        );
        $known = array_merge(Facts::ERROR_CODE, Facts::FAILURE_REASON, Facts::REFUND_STATUS);
        self::assertSame([], array_values(array_diff($matches[1], $known)));
    }

    /** @return list<string> */
    private static function places(string $text): array
    {
        preg_match_all('/%(?:\d\$)?[sd]/', $text, $matches);
        sort($matches[0]);
        return $matches[0];
    }
}
