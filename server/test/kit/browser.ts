// Drives the machine's own Chromium; nothing is downloaded.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser']

/** No background requests, and one process for all sites of a visit: a new process takes 0.4 s of CPU. */
const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-site-isolation-trials'],
]

const executablePath = PLACES.find((place) => place !== undefined && existsSync(place))
const NO_BROWSER = 'no browser: run `apt-get install chromium`, or say where one is with CHROMIUM_PATH'

/** For suites that need a browser: without one they are skipped, and fail in CI. */
export const browserTests: { skip?: string } =
  executablePath === undefined && process.env.CI === undefined ? { skip: NO_BROWSER } : {}

export async function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error(NO_BROWSER)
  return chromium.launch({ executablePath, args: FLAGS })
}
