// The machine's own Chromium, driven for tests. Nothing is downloaded: a browser that the system keeps up is a real
// one.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser']

/**
 * It asks nobody for anything but the pages of the test, and has one process for all sites of a visit: a new one takes
 * 0.4 s of CPU.
 */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-site-isolation-trials',
]

const executablePath = PLACES.find((place) => place !== undefined && existsSync(place))
const NO_BROWSER = 'no browser: run `apt-get install chromium`, or say where one is with CHROMIUM_PATH'

/** For every suite that needs one: on a person's machine without a browser it says so and goes on, in CI it fails. */
export const browserTests: { skip?: string } =
  executablePath === undefined && process.env.CI === undefined ? { skip: NO_BROWSER } : {}

export async function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error(NO_BROWSER)
  return chromium.launch({ executablePath, args: FLAGS })
}
