// What the checkout page remembers and detects: a number typed before, the country of a number, and that its tab can be closed.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import type { Browser, BrowserContext, Page as Tab } from 'playwright-core'
import { linkPage } from '../../src/checkout/link-page.ts'
import type { LinkState, LinkView, OpenLink } from '../../src/checkout/link-view.ts'
import { stateMark } from '../../src/checkout/page-frame.ts'
import { browserTests, openBrowser } from '../kit/browser.ts'
import { REFERENCE, VIEW } from './every-page.ts'
import { type PageServer, servePages } from './serve-pages.ts'

const PATH = `/pay/${REFERENCE}`
const OPEN: OpenLink = {
  is: 'open',
  operators: { NE: ['airtel_ne'], BJ: ['mtn_bj'] },
  methods: ['mobile', 'bank_card'],
  attempts: 3,
}

describe('checkout page: typed number and finished tab', browserTests, () => {
  let server: PageServer
  let browser: Browser
  let context: BrowserContext
  let tab: Tab

  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser?.close())
  beforeEach(async () => {
    server = await servePages()
    context = await browser.newContext({ viewport: { width: 360, height: 740 } })
    context.setDefaultTimeout(10_000)
    tab = await context.newPage()
  })
  afterEach(async () => {
    await context.close()
    await server.close()
  })

  function show(state: LinkState, change: Partial<LinkView> = {}, ancestors: string[] = []): void {
    server.put(PATH, linkPage({ ...VIEW, ...change, state }, 'fr', ancestors))
    server.status.state = stateMark(state)
  }

  it('after a failed attempt the tab still has its number and country', async () => {
    show(OPEN)
    await tab.goto(server.url + PATH)
    await tab.selectOption('select', 'BJ')
    await tab.fill('#n', '01 97 12 34 56')
    await Promise.all([tab.waitForEvent('load'), tab.click('[value=mobile]')])
    show({ ...OPEN, lastFailure: 'insufficient_funds' })
    await tab.goto(server.url + PATH)
    assert.deepEqual([await tab.inputValue('select'), await tab.inputValue('#n')], ['BJ', '01 97 12 34 56'])
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
    server.put('/site', { html: `<iframe src="${server.url}${PATH}"></iframe>`, contentSecurityPolicy: '' })
    await tab.goto(`${site}/site`)
    const word = 'Vous pouvez fermer cet onglet'
    await tab.frameLocator('iframe').getByRole('heading', { name: 'Paiement réussi' }).waitFor()
    assert.equal(await tab.frameLocator('iframe').getByText(word).isVisible(), false)
    await tab.goto(server.url + PATH)
    assert.equal(await tab.getByText(word).isVisible(), true)
  })
})
