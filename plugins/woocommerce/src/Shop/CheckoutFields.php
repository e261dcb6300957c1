<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\WooCommerce\Deciding\Attempt;

/** What the customer chooses: the phone's number, or the payment page. */
final class CheckoutFields
{
    /** @return array{way: string, number: string, country: string} */
    public static function chosen(): array
    {
        $ways = Settings::ways();
        $way = self::sent('karba_way');
        if ($ways !== 'both' || !in_array($way, [Attempt::PROMPT, Attempt::PAGE], true)) {
            $way = $ways === 'page' ? Attempt::PAGE : Attempt::PROMPT;
        }
        $countries = Settings::countries();
        $country = self::sent('karba_country');
        if (!isset($countries[$country])) {
            $country = self::likelyCountry();
        }
        return ['way' => $way, 'number' => self::sent('karba_number'), 'country' => $country];
    }

    /** @return array<string, mixed> what the checkout of blocks shows */
    public static function data(): array
    {
        return [
            'ways' => Settings::ways(),
            'countries' => self::labels(),
            'country' => self::likelyCountry(),
            'number' => self::knownNumber(),
            'band' => self::band(),
            'words' => self::words(),
        ];
    }

    public static function show(string $description): void
    {
        wp_enqueue_style('karba', plugins_url('assets/karba.css', KARBA_PLUGIN_FILE), [], KARBA_PLUGIN_VERSION);
        wp_enqueue_script('karba-classic', plugins_url('assets/classic.js', KARBA_PLUGIN_FILE), [], KARBA_PLUGIN_VERSION, true);
        $words = self::words();
        if (self::band() !== '') {
            printf('<p class="karba-band">%s</p>', esc_html(self::band()));
        }
        if ($description !== '') {
            echo wp_kses_post(wpautop($description));
        }
        if (Settings::ways() === 'both') {
            foreach ([Attempt::PROMPT, Attempt::PAGE] as $way) {
                printf(
                    '<p class="karba-way"><label><input type="radio" name="karba_way" value="%1$s"%2$s> %3$s</label></p>',
                    esc_attr($way),
                    checked($way, self::chosen()['way'], false),
                    esc_html($words[$way])
                );
            }
        }
        if (Settings::ways() !== 'page') {
            self::showNumber($words);
        } else {
            printf('<p>%s</p>', esc_html($words['page_hint']));
        }
    }

    /** @param array<string, string> $words */
    private static function showNumber(array $words): void
    {
        $countries = self::labels();
        $typed = self::chosen()['number'];
        echo '<div class="karba-number">';
        if (count($countries) > 1) {
            printf('<p class="form-row"><label for="karba-country">%s</label>', esc_html($words['country']));
            echo '<select id="karba-country" name="karba_country" class="select">';
            foreach ($countries as $code => $label) {
                printf(
                    '<option value="%s"%s>%s</option>',
                    esc_attr($code),
                    selected($code, self::chosen()['country'], false),
                    esc_html($label)
                );
            }
            echo '</select></p>';
        }
        printf(
            '<p class="form-row"><label for="karba-number">%s <abbr class="required" title="%s">*</abbr></label>'
            . '<input id="karba-number" name="karba_number" type="tel" inputmode="tel" autocomplete="tel"'
            . ' class="input-text" value="%s" maxlength="25"></p><p class="karba-hint">%s</p></div>',
            esc_html($words['number']),
            esc_attr($words['required']),
            esc_attr($typed === '' ? self::knownNumber() : $typed),
            esc_html($words['hint'])
        );
    }

    private static function band(): string
    {
        return Settings::isLive() ? '' : __('TEST MODE: no real money moves.', 'karba');
    }

    /** @return array<string, string> */
    private static function words(): array
    {
        return [
            Attempt::PROMPT => __('A request on my phone', 'karba'),
            Attempt::PAGE => __('On the payment page: other ways to pay', 'karba'),
            'page_hint' => __('You pay on Karba’s page and come back here.', 'karba'),
            'country' => __('Country of the number', 'karba'),
            'number' => __('Mobile money number', 'karba'),
            'hint' => __('You get a request on this phone: approve it with your code. Nobody will ask you for the code.', 'karba'),
            'required' => __('required', 'karba'),
            'missing' => __('Enter the mobile money number that pays.', 'karba'),
        ];
    }

    private static function likelyCountry(): string
    {
        $countries = Settings::countries();
        $customer = WC()->customer;
        $billing = $customer instanceof \WC_Customer ? $customer->get_billing_country() : '';
        foreach ([$billing, WC()->countries->get_base_country()] as $country) {
            if (isset($countries[$country])) {
                return $country;
            }
        }
        return (string) (array_key_first($countries) ?? WC()->countries->get_base_country());
    }

    private static function knownNumber(): string
    {
        $customer = WC()->customer;
        return $customer instanceof \WC_Customer ? $customer->get_billing_phone() : '';
    }

    /** @return array<string, string> the name of each country with its calling code */
    private static function labels(): array
    {
        $labels = [];
        foreach (Settings::countries() as $country => $name) {
            $code = WC()->countries->get_country_calling_code($country);
            $labels[$country] = sprintf('%s (%s)', $name, is_array($code) ? $code[0] : $code);
        }
        return $labels;
    }

    /** What the customer has typed: WooCommerce makes the fields anew whenever the address changes. */
    private static function sent(string $name): string
    {
        // WooCommerce has checked the nonce of its checkout.
        $sent = $_POST;
        if (is_string($sent['post_data'] ?? null)) {
            parse_str(wp_unslash($sent['post_data']), $typed);
            $sent = wp_slash($typed);
        }
        $value = $sent[$name] ?? '';
        return is_string($value) ? trim(sanitize_text_field(wp_unslash($value))) : '';
    }
}
