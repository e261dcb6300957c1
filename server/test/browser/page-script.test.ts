// The script of the checkout pages: forms with and without JavaScript, the typed number, polling, a
// frame in a merchant's site, the receipt, the QR code. The test moves the browser's clock.
import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, it } from 'node:test'
import type { Browser, BrowserContext, Page as Tab } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { linkPage } from '../../src/checkout/link-page.ts'
import type { LinkState, LinkView, OpenLink } from '../../src/checkout/link-view.ts'
import { stateMark } from '../../src/checkout/page-frame.ts'
import { sharePage } from '../../src/checkout/share-page.ts'
import { browserTests, openBrowser } from '../kit/browser.ts'
import { REFERENCE, VIEW } from './every-page.ts'
import { type PageServer, servePages } from './serve-pages.ts'

const PATH = `/pay/${REFERENCE}`
const PHONE = { width: 360, height: 740 }
const OPEN: OpenLink = {
  is: 'open',
  operators: { NE: ['airtel_ne'], BJ: ['mtn_bj'] },
  methods: ['mobile', 'bank_card'],
  attempts: 3,
}
const WAITING: LinkState = { is: 'waiting', method: 'mobile', attempts: 4 }
let server: PageServer
let browser: Browser
/**
 * A new browser profile costs 0.4 s of CPU, and each test has its own server, so its own origin.
 */
let context: BrowserContext
let tab: Tab
function show(state: LinkState, change: Partial<LinkView> = {}, ancestors: string[] = []): void {
  server.put(PATH, linkPage({ ...VIEW, ...change, state }, 'fr', ancestors))
  server.status.state = stateMark(state)
}

const asked = (what: string): number =>
  server.requests.filter((each) => each.startsWith(what)).length
const posts = (): string[] => server.requests.filter((each) => each.startsWith('POST'))

/**
 * Time in the page passes only as the test says: in a profile of its own, since the clock stays
 * installed.
 */
async function openOnClock(): Promise<Tab> {
  const tab = await (await browser.newContext({ viewport: PHONE })).newPage()
  await tab.clock.install({ time: VIEW.now })
  await tab.clock.pauseAt(VIEW.now + 1_000)
  await tab.goto(server.url + PATH)
  return tab
}

describe('checkout page script', browserTests, async () => {
  browser = await openBrowser()
  after(() => browser?.close())
  context = await browser.newContext({ viewport: PHONE })
  context.setDefaultTimeout(10_000)
  tab = await context.newPage()
  const scriptless = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  beforeEach(async () => {
    server = await servePages()
  })
  afterEach(async () => {
    await tab.goto('about:blank')
    await server.close()
  })

  describe('checkout form', () => {
    for (const javaScriptEnabled of [true, false]) {
      const how = javaScriptEnabled ? 'with' : 'without'

      it(`${how} JavaScript its button and Enter send the number and the count of attempts`, async () => {
        const page = javaScriptEnabled ? tab : scriptless
        show(OPEN)
        for (const send of [() => page.click('[value=mobile]'), () => page.press('#n', 'Enter')]) {
          await page.goto(server.url + PATH)
          await page.selectOption('[name=country]', 'BJ')
          await page.fill('#n', '01 97 12 34 56')
          await Promise.all([page.waitForEvent('load'), send()])
        }
        const form = 'lang=fr&attempt=3&country=BJ&msisdn=01+97+12+34+56&method=mobile'
        assert.deepEqual(posts(), [`POST ${PATH} ${form}`, `POST ${PATH} ${form}`])
      })

      it(`${how} JavaScript it shows the operators of ${javaScriptEnabled ? 'the chosen country' : 'every country'}`, async () => {
        const page = javaScriptEnabled ? tab : scriptless
        show(OPEN)
        await page.goto(server.url + PATH)
        const seen = async () => [
          await page.getByText('Airtel Money').isVisible(),
          await page.getByText('MTN MoMo').isVisible(),
        ]
        assert.deepEqual(await seen(), [true, !javaScriptEnabled])
        await page.selectOption('[name=country]', 'BJ')
        assert.deepEqual(await seen(), [!javaScriptEnabled, true])
      })

      it(`${how} JavaScript a card needs no number, and the link back sends nothing`, async () => {
        const page = javaScriptEnabled ? tab : scriptless
        show({ ...OPEN, leaveUrl: `${server.url}/back?status=cancelled` })
        await page.goto(server.url + PATH)
        await Promise.all([page.waitForEvent('load'), page.click('[value=bank_card]')])
        const leave = page.getByRole('link', { name: 'Annuler et revenir à la boutique' })
        await Promise.all([page.waitForRequest(/\/back\?status=cancelled$/), leave.click()])
        assert.deepEqual(posts(), [
          `POST ${PATH} lang=fr&attempt=3&country=NE&msisdn=&method=bank_card`,
        ])
      })
    }

    it('shows at once that the payment is in progress, and ignores a second tap on a slow network', async () => {
      show(OPEN)
      // The browser answers no question about the page while the next one is on its way, so the
      // page says it itself.
      const look = `const { textContent, ariaBusy } = document.querySelector('.go'); console.log(textContent, ariaBusy)`
      await tab.addInitScript(`addEventListener('submit', () => setTimeout(() => { ${look} }))`)
      const said = tab.waitForEvent('console')
      await tab.goto(server.url + PATH)
      await tab.fill('#n', '96123456')
      const { promise, resolve: answer } = Promise.withResolvers<void>()
      server.slow.until = promise
      const button = await tab.locator('[value=mobile]').boundingBox()
      // Not by its name: a click that looks for the button would wait for the answer to the first.
      const tap = (): Promise<void> => tab.mouse.click((button?.x ?? 0) + 9, (button?.y ?? 0) + 9)
      await Promise.all([tab.waitForRequest((request) => request.method() === 'POST'), tap()])
      assert.equal((await said).text(), 'Un instant… true')
      await tap()
      await Promise.all([tab.waitForEvent('load'), answer()])
      assert.equal(posts().length, 1)
    })

    it('keeps and focuses a refused number as it was typed', async () => {
      const typed = { msisdn: '"><b>97 12', country: 'BJ' } as const
      show({ ...OPEN, problem: { refused: 'msisdn_not_valid' }, typed })
      await tab.goto(server.url + PATH)
      assert.equal(await tab.inputValue('#n'), '"><b>97 12')
      assert.equal(await tab.inputValue('select'), 'BJ')
      assert.equal(await tab.locator('#n:focus').count(), 1)
      assert.equal(await tab.locator('main b').filter({ hasText: '97 12' }).count(), 0)
    })
  })

  describe('waiting page', () => {
    it('polls every 2.5 seconds, and moves on when the state changed', async () => {
      show(WAITING)
      const tab = await openOnClock()
      await tab.clock.runFor(2_400)
      assert.equal(asked(`GET ${PATH}/status`), 0)
      await Promise.all([tab.waitForResponse(/status$/), tab.clock.runFor(200)])
      show({ is: 'succeeded', method: 'mobile', validatedAt: VIEW.now })
      // The page starts its next timer once it has read the answer, which may be after
      // waitForResponse.
      const receipt = tab.locator('h1', { hasText: 'Paiement réussi' })
      while (!(await receipt.isVisible())) await tab.clock.runFor(500)
      assert.match(server.requests.at(-1) as string, /\?lang=fr$/)
    })

    it('shows that the network is down, polls less often, and recovers', async () => {
      show(WAITING)
      const tab = await openOnClock()
      server.status.state = undefined
      const line = tab.getByRole('status')
      await tab.clock.runFor(2_600)
      await line.filter({ hasText: 'Pas de connexion' }).waitFor()
      await tab.clock.runFor(4_000)
      assert.equal(asked(`GET ${PATH}/status`), 1, 'five seconds are not over')
      server.status.state = 'waiting:4'
      await tab.clock.runFor(1_500)
      await line.filter({ hasText: 'En attente' }).waitFor()
    })

    it('does not poll while hidden, and polls at once when shown', async () => {
      show(WAITING)
      const tab = await openOnClock()
      const look = (hidden: boolean): Promise<void> =>
        tab.evaluate((value) => {
          // @ts-expect-error this runs in the browser.
          const { document, Event } = globalThis
          Object.defineProperty(document, 'hidden', { value, configurable: true })
          document.dispatchEvent(new Event('visibilitychange'))
        }, hidden)
      await look(true)
      await tab.clock.runFor(60_000)
      assert.equal(asked(`GET ${PATH}/status`), 0)
      await Promise.all([tab.waitForResponse(/status$/), look(false)])
    })
  })

  describe('receipt page', () => {
    const paid: LinkState = {
      is: 'succeeded',
      method: 'mobile',
      validatedAt: VIEW.now,
      returnUrl: 'http://127.0.0.1:1/ok',
    }

    it('returns to the merchant after eight seconds', async () => {
      show(paid)
      const tab = await openOnClock()
      await Promise.all([tab.waitForRequest('http://127.0.0.1:1/ok'), tab.clock.runFor(8_100)])
    })

    for (const button of ['Rester ici', 'Imprimer le reçu'])
      it(`stays after “${button}”`, async () => {
        show(paid)
        const tab = await openOnClock()
        await tab.evaluate('window.print = () => { document.title = "printed" }')
        await tab.click(`text=${button}`)
        await tab.clock.runFor(20_000)
        assert.equal(tab.url(), server.url + PATH)
        assert.equal((await tab.title()) === 'printed', button === 'Imprimer le reçu')
      })
  })

  describe('checkout page in a frame', () => {
    /** The same server under another name is another origin. */
    const site = (): string => server.url.replace('127.0.0.1', 'localhost')
    const messages = (): Promise<unknown[]> => tab.evaluate('heard') as Promise<unknown[]>

    async function embed(origin: string): Promise<void> {
      show(OPEN, { embeddedIn: origin }, [site()])
      server.put('/site', {
        html: `<script>heard = []; onmessage = (e) => heard.push([e.origin, e.data])</script><iframe src="${server.url}${PATH}"></iframe>`,
        contentSecurityPolicy: '',
      })
      await tab.goto(`${site()}/site`)
      await tab.frameLocator('iframe').locator('h1').waitFor()
    }

    it('sends its state to the site around it, and when the payer closes it', async () => {
      await embed(site())
      await tab.frameLocator('iframe').getByRole('button', { name: 'Fermer' }).click()
      const said = (status: string): unknown => [
        server.url,
        { source: 'karba', reference: REFERENCE, status, mark: '' },
      ]
      await tab.waitForFunction('heard.length > 1')
      assert.deepEqual(await messages(), [said('initiated'), said('closed_by_payer')])
    })

    it('sends nothing to another site', async () => {
      await embed('https://awa.example.ne')
      await tab.frameLocator('iframe').getByRole('button', { name: 'Fermer' }).click()
      assert.deepEqual(await messages(), [])
    })

    it('a card payment in a new tab updates the page', async () => {
      await embed(site())
      const [opened] = await Promise.all([
        context.waitForEvent('page'),
        tab.frameLocator('iframe').locator('[value=bank_card]').click(),
      ])
      await opened.close()
      show({ is: 'waiting', method: 'bank_card', attempts: 4 }, { embeddedIn: site() }, [site()])
      await tab.frameLocator('iframe').locator('h1', { hasText: 'Terminez' }).waitFor()
    })

    it('an unlisted site cannot show the page', async () => {
      show(OPEN, {}, ['https://awa.example.ne'])
      server.put('/site', {
        html: `<iframe src="${server.url}${PATH}"></iframe>`,
        contentSecurityPolicy: '',
      })
      const refused = tab.waitForEvent('console', (message) =>
        message.text().includes('frame-ancestors'),
      )
      await tab.goto(`${site()}/site`)
      await refused
    })
  })

  describe('typed number and finished tab', () => {
    it('after a failed attempt the tab still has its number and country', async () => {
      show(OPEN)
      await tab.goto(server.url + PATH)
      await tab.selectOption('select', 'BJ')
      await tab.fill('#n', '01 97 12 34 56')
      await Promise.all([tab.waitForEvent('load'), tab.click('[value=mobile]')])
      show({ ...OPEN, lastFailure: 'insufficient_funds' })
      await tab.goto(server.url + PATH)
      assert.deepEqual(
        [await tab.inputValue('select'), await tab.inputValue('#n')],
        ['BJ', '01 97 12 34 56'],
      )
      assert.equal(await tab.getByText('MTN MoMo').isVisible(), true)
      const other = await context.newPage()
      await other.goto(server.url + PATH)
      assert.equal(await other.inputValue('#n'), '')
    })

    it('a number with a country code selects the country', async () => {
      show(OPEN)
      await tab.goto(server.url + PATH)
      for (const [typed, country] of [
        ['+229 01 97 12 34 56', 'BJ'],
        ['+227 96 12 34 56', 'NE'],
        ['00229 01', 'BJ'],
        ['0197123456', 'BJ'],
        ['00 227 96', 'NE'],
      ] as const) {
        await tab.fill('#n', typed)
        assert.equal(await tab.inputValue('select'), country, typed)
        assert.equal(await tab.getByText('MTN MoMo').isVisible(), country === 'BJ')
      }
    })

    it('a tab that returns from the provider says that it can be closed; a frame does not', async () => {
      /** The same server under another name is another origin. */
      const site = server.url.replace('127.0.0.1', 'localhost')
      const paid: LinkState = { is: 'succeeded', method: 'bank_card', validatedAt: VIEW.now }
      show(paid, { embeddedIn: site }, [site])
      server.put('/site', {
        html: `<iframe src="${server.url}${PATH}"></iframe>`,
        contentSecurityPolicy: '',
      })
      await tab.goto(`${site}/site`)
      const word = 'Vous pouvez fermer cet onglet'
      await tab.frameLocator('iframe').getByRole('heading', { name: 'Paiement réussi' }).waitFor()
      assert.equal(await tab.frameLocator('iframe').getByText(word).isVisible(), false)
      await tab.goto(server.url + PATH)
      assert.equal(await tab.getByText(word).isVisible(), true)
    })
  })

  it('share page: has a readable QR code, and copies the address', async () => {
    server.put('/share', sharePage(VIEW, 'fr'))
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await tab.goto(`${server.url}/share`)
    await tab.click('text=Copier')
    assert.equal(await tab.evaluate('navigator.clipboard.readText()'), VIEW.pageUrl)
    assert.equal(decodeQR(await picture(tab)), VIEW.pageUrl)
  })
})

const SIDE = 200

/** The QR code as a camera sees it: the pixels that the browser drew. */
async function picture(
  from: Tab,
): Promise<{ width: number; height: number; data: Uint8ClampedArray }> {
  const reds: number[] = await from.evaluate(async (side) => {
    // @ts-expect-error this runs in the browser.
    const { document, Image } = globalThis
    const size = `xmlns="http://www.w3.org/2000/svg" stroke="#000" width="${side}" height="${side}"`
    const image = new Image()
    image.src = `data:image/svg+xml,${encodeURIComponent(document.querySelector('.qr').outerHTML.replace('<svg', `<svg ${size}`))}`
    await image.decode()
    const paper = Object.assign(document.createElement('canvas'), {
      width: side,
      height: side,
    }).getContext('2d')
    paper.fillStyle = '#fff'
    paper.fillRect(0, 0, side, side)
    paper.drawImage(image, 0, 0)
    const { data } = paper.getImageData(0, 0, side, side)
    return [...data].filter((_, at) => at % 4 === 0)
  }, SIDE)
  return {
    width: SIDE,
    height: SIDE,
    data: Uint8ClampedArray.from(reds.flatMap((red) => [red, red, red, 255])),
  }
}
