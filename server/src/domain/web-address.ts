// Whether a name holds a web address. Names of merchants and people go into emails to others, where mail programs turn addresses into links: a stranger's
// words must not lead anywhere from our emails (D-139).

/** What passes for a dot: browsers read some of these as one, people read all of them so. */
const DOTS = /[\u00b7\u0387\u0660\u06d4\u06f0\u0701\u0702\u2022\u2024\u2027\u2219\u22c5\u3002\u30fb\ua4f8\uff61\uff65]/g
/** What passes for a slash. */
const SLASHES = /[\u2044\u2215\u29f8\\]/g
const NOT_DRAWN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\u2028\u2029]/gu

const ADDRESSES: readonly RegExp[] = [
  /\/\//,
  /\bhttps?\b/,
  /\b(mailto|tel|sms|javascript|data|file|ftp)\s*:/,
  // A letter, digit or accent, a dot, and two letters or more: shop.example, bit.ly/x, xn--a.com. Not S.A.R.L., nor "Ets. Awa".
  /[\p{L}\p{M}\p{N}_-]\.\p{L}[\p{L}\p{M}\p{N}-]*[\p{L}\p{N}]/u,
  /\d+\.\d+\.\d+\.\d+/,
  /@/,
]

/** Also one in full-width or decorated letters, with look-alike dots, or with characters between that nobody sees. */
export function holdsWebAddress(text: string): boolean {
  const plain = text.normalize('NFKC').replace(NOT_DRAWN, '').replace(DOTS, '.').replace(SLASHES, '/').toLowerCase()
  return ADDRESSES.some((address) => address.test(plain))
}
