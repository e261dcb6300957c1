// The browser and the system that a session's User-Agent header names, as people know them.

// The first match counts: most browsers also name those that they descend from.
const BROWSERS: readonly [name: string, mark: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|Opera|OPT)\b/],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['UC Browser', /\bUCBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
]

const SYSTEMS: readonly [name: string, mark: RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['KaiOS', /\bKAIOS\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
]

const nameIn = (names: readonly [string, RegExp][], userAgent: string): string | undefined =>
  names.find(([, mark]) => mark.test(userAgent))?.[0]

export const browserOf = (
  userAgent: string,
): { browser: string | undefined; system: string | undefined } => ({
  browser: nameIn(BROWSERS, userAgent),
  system: nameIn(SYSTEMS, userAgent),
})
