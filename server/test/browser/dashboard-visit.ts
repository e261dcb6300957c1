// A visit to the dashboard in a browser, with fixtures in place of the API. It goes from page to
// page as the page's own links do, without loading everything again: loading is most of the cost of
// a visit.
import Fastify from 'fastify'
import type { Browser, Page as Tab } from 'playwright-core'
import { dashboardPages } from '../../src/dashboard-api/static.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import {
  type Amount,
  answerFixture,
  LIVE,
  NOW,
  payment,
  SANDBOX,
  SUSPENDED,
  type Who,
} from './dashboard-fixtures.ts'

export const PHONE = { width: 360, height: 740 }
export const DESK = { width: 1280, height: 860 }
const COOKIE = 'karba-fixtures'

export interface DashboardPage {
  name: string
  /** Below /dashboard. */
  path: string
  who: Who
}

const pages = (who: Who, under: string, table: Record<string, string>): DashboardPage[] =>
  Object.entries(table).map(([name, path]) => ({ name, path: under + path, who }))

export const DASHBOARD_PAGES: readonly DashboardPage[] = [
  ...pages('visitor', '/', {
    'sign-in': 'sign-in',
    'sign-up': 'sign-up',
    confirm: 'confirm#t',
    forgotten: 'forgotten',
    reset: 'reset#t',
    invitation: 'invitation#t',
    'dead-reset': 'reset#dead',
    'dead-invitation': 'invitation#dead',
    'no-page': 'nothing',
  }),
  ...pages('owner', `/a/${LIVE}`, {
    home: '',
    payments: '/payments',
    payment: `/payments/${payment(7).reference}`,
    links: '/links',
    'found-payments': '/payments?search=awa%203456&from=2026-11-01&to=2026-11-15',
    link: '/links/lnk0',
    keys: '/developers',
    webhooks: '/developers/webhooks',
    business: '/account',
    deliveries: '/developers/deliveries',
    events: '/developers/events',
    requests: '/developers/requests',
    brand: '/account/brand',
    networks: '/account/networks',
    // Two views of one part are not neighbours: the visit waits until the part before is gone.
    money: '/money',
    settlements: '/money/settlements',
    statements: '/money/statements',
    differences: '/money/differences',
    settlement: '/money/settlements?settlement=mtn_bj-900',
    'money-entries': '/money/where?place=receivable&connection=mtn_bj',
    'day-statement': '/money/statements?day=2026-11-12',
    'closed-differences': '/money/differences?state=closed',
    'statement-files': '/money/files',
    'received-settlement': '/money/settlements?settlement=mtn_bj-898',
    'money-settings': '/money/settings',
    team: '/account/team',
    sites: '/account/sites',
    activity: '/account/activity',
    security: '/account/security',
  }),
  ...pages('owner', `/a/${SANDBOX}`, {
    'sandbox-money': '/money',
    'sandbox-statements': '/money/statements',
    'sandbox-home': '',
    'sandbox-payment': `/payments/${payment(2).reference}`,
    phone: '/phone',
  }),
  ...pages('cashier', `/a/${LIVE}`, {
    'cashier-home': '',
    'cashier-payments': '/payments',
    'cashier-keys': '/developers',
  }),
  ...pages('newcomer', `/a/${SANDBOX}`, {
    'unconfirmed-home': '',
    'unconfirmed-security': '/account/security',
  }),
  ...pages('owner', `/a/${SUSPENDED}`, { 'suspended-home': '', 'suspended-payments': '/payments' }),
  ...pages('administrator', '/console', {
    figures: '',
    merchants: '/merchants',
    'any-payment': '/payments',
    tasks: '/tasks',
    waiting: '/waiting',
    connections: '/connections',
    audit: '/audit',
    merchant: '/merchants/mer_1',
    'console-payment': '/payments/x',
    'console-security': '/security',
    'all-differences': '/differences',
    'all-files': '/files',
  }),
]

/** The dashboard's files as the service serves them, with its content security policy. */
export async function serveFixtures() {
  const app = Fastify({ exposeHeadRoutes: false })
  dashboardPages(app, { random: seededRandom(1) })
  app.get('/dashboard/api/accounts/:accountId/live', async (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
  })
  app.all('/dashboard/api/*', async (request, reply) => {
    const { '*': path } = request.params as { '*': string }
    const search = new URLSearchParams(request.query as Record<string, string>)
    const [, world = 'full.owner'] =
      new RegExp(`${COOKIE}=([\\w.]+)`).exec(request.headers.cookie ?? '') ?? []
    const { status, body, type } = answerFixture(request.method, path, search, {
      world,
      sent: request.body,
    })
    return reply
      .code(status)
      .type(type ?? 'application/json')
      .send(type === undefined ? JSON.stringify(body) : body)
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    close: async () => {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

interface VisitOptions {
  language: 'fr' | 'en'
  colours: 'light' | 'dark'
  viewport?: typeof DESK
  serviceWorkers?: 'allow' | 'block'
}

export async function visitDashboard(
  browser: Browser,
  server: { url: string },
  { language, colours: colorScheme, viewport = DESK, serviceWorkers = 'block' }: VisitOptions,
) {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    locale: language,
    reducedMotion: 'reduce',
    serviceWorkers,
  })
  await context.addInitScript(`localStorage.setItem('karba-language', '${language}')`)
  await context.clock.setFixedTime(NOW)
  const tab: Tab = await context.newPage()
  const complaints: string[] = []
  // The browser logs the 401 of a visitor's session and the 422 of a dead link by itself.
  const isExpected = (text: string): boolean => /status of (401|422)/.test(text)
  tab.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) complaints.push(message.text())
  })
  tab.on('pageerror', (error) => complaints.push(error.message))
  let world = ''

  const become = (who: Who, amount: Amount): Promise<void> =>
    context.addCookies([{ name: COOKIE, value: `${amount}.${who}`, url: server.url }])

  async function open({ path, who }: DashboardPage, amount: Amount): Promise<void> {
    const wanted = `${amount}.${who}`
    const address = `${server.url}/dashboard${path}`
    if (wanted !== world || who === 'visitor') {
      world = wanted
      await become(who, amount)
      await tab.goto(address)
    } else {
      // Marks the current page, to see when it is gone.
      await tab.evaluate(
        `document.querySelector('main > :last-child').dataset.left = ''; history.pushState(null, '', '${address}')`,
      )
      await tab.locator('[data-left]').waitFor({ state: 'detached' })
    }
    await tab.locator('h1').waitFor()
    await tab.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
  }

  /** On a phone, a page that scrolls sideways has content that is cut off. */
  const isTooWide = (): Promise<boolean> =>
    tab.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

  /** The next page is loaded whole, on a wide screen. */
  async function startAgain(): Promise<void> {
    world = ''
    complaints.length = 0
    await tab.setViewportSize(DESK)
  }

  return { tab, complaints, become, open, isTooWide, startAgain }
}
