// The machine's own Chromium, driven for tests. Nothing is downloaded: a browser that the system keeps up is a real one.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser']

/** It asks nobody for anything but the pages of the test. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function openBrowser(): Promise<Browser> {
  const executablePath = PLACES.find((place) => place !== undefined && existsSync(place))
  if (executablePath === undefined) {
    throw new Error('no browser: run `apt-get install chromium`, or say where one is with CHROMIUM_PATH')
  }
  return chromium.launch({ executablePath, args: FLAGS })
}
