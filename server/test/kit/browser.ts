// Drives the machine's own Chromium; nothing is downloaded.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The browser without its user interface comes first: a visit takes a third less CPU. */
const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
]

/**
 * Of Chromium's own user interface: the address bar's pop-ups are pages of their own, which cost
 * 1.2 s of CPU for each window. And those that Playwright disables, since the last such flag
 * replaces the others.
 */
const WITHOUT = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/**
 * No background requests, and one process for all sites of a visit: a new process takes 0.4 s of
 * CPU.
 */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-site-isolation-trials',
  `--disable-features=${WITHOUT.join(',')}`,
]

const executablePath = PLACES.find((place) => place !== undefined && existsSync(place))
const NO_BROWSER =
  'no browser: run `apt-get install chromium`, or say where one is with CHROMIUM_PATH'

export const hasBrowser = executablePath !== undefined

/** For suites that need a browser: without one they are skipped, and fail in CI. */
export const browserTests: { skip?: string } =
  !hasBrowser && process.env.CI === undefined ? { skip: NO_BROWSER } : {}

/**
 * `withoutFrames`: for pages whose layout is only read, without a click or a script that waits for
 * a frame. Frames take a quarter of the CPU of such a visit. `hosts`: where names lead, as
 * Chromium's --host-resolver-rules has it.
 */
export async function openBrowser({ withoutFrames = false, hosts = '' } = {}): Promise<Browser> {
  if (executablePath === undefined) throw new Error(NO_BROWSER)
  return chromium.launch({
    executablePath,
    args: [
      ...FLAGS,
      ...(withoutFrames ? ['--disable-threaded-compositing'] : []),
      ...(hosts === '' ? [] : [`--host-resolver-rules=${hosts}`]),
    ],
  })
}
