// A visit to the dashboard of a real server in a browser. It goes from page to page as the page's
// own links do, without loading everything again: loading is most of the cost of a visit.
import type { Browser, Page as Tab } from 'playwright-core'
import type { SignedIn } from '../kit/people.ts'
import type { SeededAccount, SeededService, Who } from './dashboard-seed.ts'

export const PHONE = { width: 360, height: 740 }
export const DESK = { width: 1280, height: 860 }

export interface DashboardPage {
  name: string
  /** Below /dashboard. */
  path: string
  who: Who | 'visitor'
}

const pages = (
  who: DashboardPage['who'],
  under: string,
  table: Record<string, string>,
): DashboardPage[] =>
  Object.entries(table).map(([name, path]) => ({ name, path: under + path, who }))

/** Those that show something without any data too. */
const lists = (account: string): DashboardPage[] =>
  pages('owner', `/a/${account}`, {
    home: '',
    payments: '/payments',
    links: '/links',
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
    'statement-files': '/money/files',
    'money-settings': '/money/settings',
    team: '/account/team',
    sites: '/account/sites',
    activity: '/account/activity',
    security: '/account/security',
  })

const accountPages = ({ accountId, ...named }: SeededAccount): DashboardPage[] => [
  ...lists(accountId),
  ...pages('owner', `/a/${accountId}`, {
    payment: `/payments/${named.payment}`,
    link: `/links/${named.link}`,
    'found-payments': '/payments?search=awa%203456&from=2026-11-01&to=2026-11-15',
    settlement: `/money/settlements?settlement=${named.settlement}`,
    'money-entries': `/money/where?place=receivable&connection=${named.connection}`,
    'day-statement': `/money/statements?connection=${named.connection}&day=${named.day}`,
    'closed-differences': '/money/differences?state=closed',
    'received-settlement': `/money/settlements?settlement=${named.receivedSettlement}`,
  }),
]

const CONSOLE = {
  figures: '',
  merchants: '/merchants',
  'any-payment': '/payments',
  tasks: '/tasks',
  waiting: '/waiting',
  connections: '/connections',
  audit: '/audit',
  'console-security': '/security',
  'all-differences': '/differences',
  'all-files': '/files',
}

/** Every page of the dashboard, to those who see it. */
export function pagesOf({
  live,
  sandbox,
  suspended,
  newcomers,
  merchantId,
  tokens,
}: SeededService): DashboardPage[] {
  return [
    ...pages('visitor', '/', {
      'sign-in': 'sign-in',
      'sign-up': 'sign-up',
      confirm: `confirm#${tokens.confirm}`,
      forgotten: 'forgotten',
      reset: `reset#${tokens.reset}`,
      invitation: `invitation#${tokens.invitation}`,
      'dead-reset': 'reset#dead',
      'dead-invitation': 'invitation#dead',
      'no-page': 'nothing',
    }),
    ...accountPages(live),
    ...pages('owner', `/a/${sandbox.accountId}`, {
      'sandbox-money': '/money',
      'sandbox-statements': '/money/statements',
      'sandbox-home': '',
      'sandbox-payment': `/payments/${sandbox.payment}`,
      phone: '/phone',
    }),
    ...pages('cashier', `/a/${live.accountId}`, {
      'cashier-home': '',
      'cashier-payments': '/payments',
      'cashier-keys': '/developers',
    }),
    ...pages('newcomer', `/a/${newcomers.accountId}`, {
      'unconfirmed-home': '',
      'unconfirmed-security': '/account/security',
    }),
    ...pages('owner', `/a/${suspended.accountId}`, {
      'suspended-home': '',
      'suspended-payments': '/payments',
    }),
    ...pages('administrator', '/console', {
      ...CONSOLE,
      merchant: `/merchants/${merchantId}`,
      'console-payment': `/payments/${live.payment}`,
    }),
  ]
}

/** The pages of the account in live, in the sandbox. */
export const sandboxPagesOf = ({ sandbox }: SeededService): DashboardPage[] => accountPages(sandbox)

/** Pages of a service without any data. */
export const emptyPagesOf = (account: { live: string; merchantId: string }): DashboardPage[] => [
  ...lists(account.live),
  ...pages('administrator', '/console', {
    ...CONSOLE,
    merchant: `/merchants/${account.merchantId}`,
  }),
]

/** A server and the people who have a session there. */
export interface Visited {
  url: string
  people: Partial<Record<Who, SignedIn>>
}

interface VisitOptions {
  language: 'fr' | 'en'
  colours: 'light' | 'dark'
  viewport?: typeof DESK
  serviceWorkers?: 'allow' | 'block'
}

export async function visitDashboard(
  browser: Browser,
  { url, people }: Visited,
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
  const tab: Tab = await context.newPage()
  const complaints: string[] = []
  // The browser logs the 401 of a visitor's session and the 422 of a dead link by itself.
  const isExpected = (text: string): boolean => /status of (401|422)/.test(text)
  tab.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) complaints.push(message.text())
  })
  tab.on('pageerror', (error) => complaints.push(error.message))
  let seenBy = ''

  async function become(who: DashboardPage['who']): Promise<void> {
    await context.clearCookies()
    if (who === 'visitor') return
    const [name, value] = people[who]?.cookie.split('=') ?? []
    if (name === undefined || value === undefined) throw new Error(`${who} has no session here`)
    await context.addCookies([{ name, value, url }])
  }

  async function open({ path, who }: DashboardPage): Promise<void> {
    const address = `${url}/dashboard${path}`
    if (who !== seenBy || who === 'visitor') {
      seenBy = who
      await become(who)
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
    seenBy = ''
    complaints.length = 0
    await tab.setViewportSize(DESK)
  }

  return { tab, complaints, become, open, isTooWide, startAgain }
}
