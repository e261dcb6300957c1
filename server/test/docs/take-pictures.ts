// The pictures of README.md, taken from a real server with demo data on a clock that stands still.
// `npm run docs` runs it where Chromium is: it takes those again whose words changed; with --all,
// every one. pictures.test.ts compares the words with those of today's pages.
import { hash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { bookedWallet } from '@karba/simulators'
import type { Page as Tab } from 'playwright-core'
import { fillDemoMonth } from '../../src/actions/books/demo-month.ts'
import { createDemoPeopleIn, prepareDemoPeople } from '../../src/actions/people/demo-people.ts'
import { knownToSimulator } from '../../src/service/open-simulator.ts'
import type { WebhookSender } from '../../src/webhooks/send.ts'
import { hasBrowser, openBrowser } from '../kit/browser.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { certificateOf } from '../kit/certificate.ts'
import { buildDashboard } from '../kit/dashboard-tabs.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { listenLocally } from '../kit/process.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { newEndpoint } from '../kit/webhooks.ts'
import { newLink } from '../links/payer.ts'

const FOLDER = new URL('../../../docs/pictures/', import.meta.url)
const WORDS_FILE = 'words.txt'
const HEAD =
  '# Written by `npm run docs`: do not edit. The words on each picture, without numbers, and the hash of its file.\n'

const HOST = 'karba.example'
const ORIGIN = `https://${HOST}`
const DESK = { width: 1280, height: 930 }
const PHONE = { width: 360, height: 800 }
const A5 = { width: 560, height: 794 }

/** A README is read on a phone, too. */
export const MOST_BYTES = 60 * 1_024
const QUALITIES = [0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4]

/** Seven in the morning of a day with a month of payments behind it. */
const OPENS_AT = Date.UTC(2026, 10, 16, 6)
const MINUTE_MS = 60_000

/** Minutes since the shop opened; the payer of the last one has not decided yet. */
const SALES: readonly [
  after: number,
  payer: string,
  msisdn: string,
  amount: number,
  country?: 'BJ',
][] = [
  [12, 'Rakiatou Seyni', '97204518', 4_500],
  [31, 'Moussa Garba', '96118240', 12_750],
  [44, 'Koffi Adjovi', '0197336051', 7_200, 'BJ'],
  [58, 'Awa Diallo', '96452077', 2_500],
  [79, 'Issoufou Maïga', '40410000101', 18_000],
  [83, 'Issoufou Maïga', '97870326', 18_000],
  [101, 'Pascal Hounsou', '0196081947', 9_300, 'BJ'],
  [126, 'Aïcha Souley', '97513862', 6_000],
  [149, 'Abdoul-Razak Maïga Souleymane', '96730415', 15_250],
  [162, 'Mariam Issoufou', '97026639', 3_400],
  [171, 'Halima Abdou', '96340852', 37_500],
]

interface Shop {
  service: VirtualService
  owner: SignedIn
  sandbox: { accountId: string; secretKey: string }
  live: { accountId: string }
}

interface Picture {
  name: string
  language: 'fr' | 'en'
  colours?: 'dark'
  viewport: typeof DESK
  open(tab: Tab, shop: Shop): Promise<void>
}

const openDashboard = async (tab: Tab, path: string): Promise<void> => {
  await tab.goto(`${ORIGIN}/dashboard${path}`)
  await tab.locator('h1').waitFor()
  await tab.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
}

export const PICTURES: readonly Picture[] = [
  {
    name: 'dashboard-home.webp',
    language: 'en',
    viewport: DESK,
    async open(tab, { sandbox }) {
      await openDashboard(tab, `/a/${sandbox.accountId}`)
      await tab.getByText('Where is my money').waitFor()
    },
  },
  {
    name: 'payments-on-a-phone.webp',
    language: 'fr',
    colours: 'dark',
    viewport: PHONE,
    open: (tab, { sandbox }) => openDashboard(tab, `/a/${sandbox.accountId}/payments`),
  },
  {
    name: 'sandbox-phone.webp',
    language: 'en',
    viewport: PHONE,
    async open(tab, { sandbox }) {
      await openDashboard(tab, `/a/${sandbox.accountId}/phone`)
      await tab.getByRole('button', { name: 'Approve' }).waitFor()
    },
  },
  { name: 'waiting-page.webp', language: 'fr', viewport: PHONE, open: openWaitingPage },
  { name: 'poster.webp', language: 'fr', viewport: A5, open: openPoster },
]

async function openWaitingPage(tab: Tab, { service, sandbox }: Shop): Promise<void> {
  const title = 'Commande 1042 : deux pagnes'
  const link = await newLink(service, sandbox.secretKey, { amount: 15_000, title })
  await tab.goto(`${ORIGIN}/pay/${link}`)
  await tab.locator('input[name=msisdn]').fill('97204518')
  await tab.locator('button[value=mobile]').click()
  await tab.locator('ol').waitFor()
}

async function openPoster(tab: Tab, { service, owner, live }: Shop): Promise<void> {
  await tab.emulateMedia({ media: 'print' })
  const link = { title: 'Au comptoir', reusable: true, suggestedAmounts: [] }
  const { body } = await ask(
    service,
    `POST /accounts/${live.accountId}/links`,
    owner,
    link,
    FROM_OWN_PAGE,
  )
  await tab.goto(
    `${ORIGIN}/dashboard/api/accounts/${live.accountId}/links/${body.reference}/poster`,
  )
  await tab.locator('.codes').waitFor()
}

const FROM_OWN_PAGE = { origin: ORIGIN, host: HOST }

/** The merchant's own site takes every event. */
const SITE: WebhookSender = {
  send: async () => ({ status: 200, durationMs: 80, answer: '', error: null, retryAfterMs: null }),
  close: async () => {},
}

async function openShop(): Promise<Shop> {
  const settings = { PUBLIC_URL: ORIGIN }
  const service = await openVirtualService(SQLITE, settings, {
    startAt: OPENS_AT,
    random: seededRandom(1),
    sender: SITE,
  })
  const merchant = await service.merchant({ name: 'Boutique Awa' })
  const { sandbox, live } = merchant.accounts
  const prepared = await prepareDemoPeople(service)
  await service.db.transaction((tx) =>
    createDemoPeopleIn(service, tx, TESTER, { merchantId: merchant.merchantId, prepared }),
  )
  const isConnected = async (): Promise<boolean> => true
  const network = { openWallet: bookedWallet, knowAtNetwork: knownToSimulator(service.db) }
  granted(await fillDemoMonth({ ...service, isConnected, ...network }, TESTER))
  await newEndpoint(service, sandbox.accountId, 'https://www.boutique-awa.example/karba')
  const person = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
  const owner = { ...person, cookie: `__Host-${person.cookie}` }
  const brand = { name: 'Boutique Awa', colour: '#00704a', phone: '+227 20 73 00 00' }
  await ask(service, `PUT /accounts/${live.accountId}/settings/brand`, owner, brand, FROM_OWN_PAGE)
  for (const [after, payer, msisdn, amount, country = 'NE'] of SALES) {
    await service.clock.sleep(OPENS_AT + after * MINUTE_MS - service.clock.now())
    await post(service, sandbox.secretKey, order({ customer_name: payer, msisdn, amount, country }))
    if (after !== SALES.at(-1)?.[0]) await service.clock.advance(MINUTE_MS)
  }
  await service.clock.settle()
  return { service, owner, sandbox, live }
}

/** Takes the place of the reverse proxy, so that the pages show an address as merchants have it. */
async function openProxy(service: VirtualService) {
  const near = new URL(await service.app.listen({ port: 0, host: '127.0.0.1' }))
  const server = createTlsServer(certificateOf(HOST), (socket) => {
    const far = connect(Number(near.port), near.hostname)
    for (const each of [socket, far])
      each.on('error', () => {}).on('close', () => [socket, far].map((end) => end.destroy()))
    socket.pipe(far).pipe(socket)
  })
  return { port: await listenLocally(server), close: () => void server.close() }
}

/** Every picture's page, one after the other. */
export async function visitPictures(
  look: (picture: Picture, tab: Tab) => Promise<void>,
): Promise<void> {
  await buildDashboard()
  const shop = await openShop()
  const proxy = await openProxy(shop.service)
  const browser = await openBrowser({ hosts: `MAP ${HOST}:443 127.0.0.1:${proxy.port}` })
  try {
    for (const picture of PICTURES) {
      const { language, colours, viewport } = picture
      const context = await browser.newContext({
        locale: language,
        colorScheme: colours ?? 'light',
        viewport,
        deviceScaleFactor: viewport === PHONE ? 2 : 1.5,
        // Without the strip of a scroll bar.
        isMobile: viewport !== A5,
        reducedMotion: 'reduce',
        ignoreHTTPSErrors: true,
      })
      await context.addInitScript(`localStorage.setItem('karba-language', '${language}')`)
      await context.clock.setFixedTime(shop.service.clock.now())
      const [name = '', value = ''] = shop.owner.cookie.split('=')
      await context.addCookies([{ name, value, url: ORIGIN }])
      const tab = await context.newPage()
      await picture.open(tab, shop)
      await look(picture, tab)
      await context.close()
    }
  } finally {
    await browser.close()
    proxy.close()
    await shop.service.remove()
  }
}

/**
 * As a person reads the whole page, each line once: how much of it fits on the picture depends on
 * the machine's fonts. Amounts, times and references may change with the demo's numbers.
 */
export async function wordsOf(tab: Tab): Promise<string> {
  const text = await tab.locator('body').innerText()
  const hints = await tab
    .locator('[placeholder]')
    .evaluateAll((all) => all.map((each) => each.getAttribute('placeholder')))
  const lines = [...text.split('\n'), ...hints].map((line) =>
    String(line)
      .replaceAll(/[\p{L}-]*\d\S*/gu, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
  return [...new Set(lines)].filter((line) => /\p{L}/u.test(line)).join('\n')
}

export interface Taken {
  file: string
  words: string
}

export const bytesOf = (name: string): Buffer => readFileSync(new URL(name, FOLDER))
export const fileHash = (bytes: Buffer): string => hash('sha256', bytes).slice(0, 16)

/** By name: the hash of the file and the words when it was taken. */
export function readTaken(): ReadonlyMap<string, Taken> {
  const path = new URL(WORDS_FILE, FOLDER)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const parts = text.split(/^## /m).slice(1)
  return new Map(
    parts.map((part) => {
      const [head = '', ...lines] = part.trim().split('\n')
      const [name = '', file = ''] = head.split(' ')
      return [name, { file, words: lines.join('\n').trim() }]
    }),
  )
}

function writeTaken(taken: ReadonlyMap<string, Taken>): void {
  const parts = [...taken].map(([name, { file, words }]) => `## ${name} ${file}\n\n${words}\n`)
  writeFileSync(new URL(WORDS_FILE, FOLDER), [HEAD, ...parts].join('\n'))
}

/** Playwright takes PNG and JPEG: the browser itself makes WebP of it, as good as fits. */
async function webpOf(tab: Tab): Promise<Buffer> {
  const png = (await tab.screenshot()).toString('base64')
  const blank = await tab.context().newPage()
  for (const quality of QUALITIES) {
    const bytes = Buffer.from(await blank.evaluate(encodeWebp, { png, quality }), 'base64')
    if (bytes.length <= MOST_BYTES) return bytes
  }
  throw new Error('the picture is too large at every quality')
}

async function encodeWebp({ png, quality }: { png: string; quality: number }): Promise<string> {
  // @ts-expect-error this runs in the browser.
  const { document, Image } = globalThis
  const image = new Image()
  image.src = `data:image/png;base64,${png}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = image.naturalWidth
  canvas.height = image.naturalHeight
  canvas.getContext('2d').drawImage(image, 0, 0)
  return canvas.toDataURL('image/webp', quality).split(',')[1]
}

async function takePictures(isEvery: boolean): Promise<void> {
  const before = readTaken()
  const taken = new Map<string, Taken>()
  await visitPictures(async (picture, tab) => {
    const { name } = picture
    const words = await wordsOf(tab)
    const earlier = before.get(name)
    if (!isEvery && earlier?.words === words && fileHash(bytesOf(name)) === earlier.file) {
      taken.set(name, earlier)
      return
    }
    const bytes = await webpOf(tab)
    writeFileSync(new URL(name, FOLDER), bytes)
    taken.set(name, { file: fileHash(bytes), words })
    process.stdout.write(`docs/pictures/${name}\n`)
  })
  writeTaken(taken)
}

if (import.meta.main) {
  if (hasBrowser) await takePictures(process.argv.includes('--all'))
  else process.stderr.write('No browser: the pictures of README.md stay as they are.\n')
}
