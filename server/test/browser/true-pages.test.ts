// What merchants' and payers' pages say is so: against the real server, in Chromium. Long names,
// refunds in part, a paused network, roles that may not.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page as Tab } from 'playwright-core'
import { browserTests } from '../kit/browser.ts'
import { type DashboardTabs, openDashboardTabs } from '../kit/dashboard-tabs.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { order, post } from '../kit/service.ts'
import { until } from '../kit/waiting.ts'
import { newLink } from '../links/payer.ts'
import { inspect } from './inspect-page.ts'

/**
 * The network records it, breaks the connection, and is asked: its payment has no accepted request.
 */
const LOST_ANSWER = '40410000112'
const SUCCEEDS_AT_ONCE = '40410000100'
const LONG_NAMES = ['x'.repeat(100), '🎉'.repeat(30)]
const WIDTHS = [360, 768, 1000, 1120, 1280]
const LANGUAGES = ['fr', 'en'] as const
const NOTHING = { barriers: [], cutOff: [], tooSmall: [] }

describe('what pages say', browserTests, async () => {
  let tabs: DashboardTabs
  let owner: SignedIn
  let cashier: SignedIn
  let merchantId: string
  let account: { accountId: string; secretKey: string }

  before(async () => {
    tabs = await openDashboardTabs({ KARBA_SANDBOX_DELAY_MS: '100' })
    const merchant = await tabs.service.merchant({ name: 'Boutique Awa' })
    merchantId = merchant.merchantId
    account = merchant.accounts.sandbox
    owner = await signedIn(tabs.service, { at: merchantId, as: 'owner' })
    cashier = await signedIn(tabs.service, { at: merchantId, as: 'cashier' }, 'Koffi Mensah')
  })
  after(() => tabs?.close())

  const open = async (tab: Tab, path: string): Promise<void> => {
    await tab.goto(`${tabs.url}/dashboard/a/${account.accountId}${path}`)
    await tab.locator('h1').waitFor()
    await tab.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
  }
  const pay = async (change: Record<string, unknown>): Promise<string> => {
    const { body } = await post(tabs.service, account.secretKey, order(change))
    return String(body.reference)
  }
  const api = (call: string, body?: object) =>
    ask(tabs.service, call.replace(' ', ` /accounts/${account.accountId}`), owner, body)
  const textOf = async (tab: Tab): Promise<string> =>
    (await tab.locator('main').innerText()).replaceAll(/[\u00a0\u202f]/g, ' ')

  async function newTab(language: 'fr' | 'en', { cookie }: SignedIn): Promise<Tab> {
    const tab = await tabs.newTab(language, cookie)
    await tab.addInitScript(`localStorage.setItem('karba-language', '${language}')`)
    return tab
  }

  /**
   * Both languages, phone and desk, light and dark: nothing is cut off, too small or without
   * contrast.
   */
  async function lookAt(
    path: string,
    who: SignedIn,
    picture: string,
  ): Promise<Record<'fr' | 'en', string>> {
    const texts = { fr: '', en: '' }
    for (const language of LANGUAGES) {
      const tab = await newTab(language, who)
      await open(tab, path)
      texts[language] = await textOf(tab)
      for (const width of [360, 1280])
        for (const colorScheme of ['light', 'dark'] as const) {
          await tab.setViewportSize({ width, height: 800 })
          await tab.emulateMedia({ colorScheme })
          const { barriers, cutOff } = await inspect(
            tab,
            colorScheme === 'dark' ? 'colours' : 'whole',
          )
          assert.deepEqual(
            [barriers, cutOff],
            [[], []],
            [picture, language, width, colorScheme].join(' '),
          )
          await keepPicture(tab, `${picture}.${language}.${width}.${colorScheme}`)
        }
      await tab.context().close()
    }
    return texts
  }

  it('payments: a name without spaces leaves reference, date, state and amount of every row in sight', async () => {
    for (const name of LONG_NAMES) await pay({ customer_name: name, msisdn: SUCCEEDS_AT_ONCE })
    await api('POST /links', { title: 'y'.repeat(100), amount: 1_000 })
    const tab = await newTab('fr', owner)
    for (const path of ['/payments', '/links'])
      for (const width of WIDTHS) {
        await tab.setViewportSize({ width, height: 800 })
        await open(tab, path)
        const outside = await tab.evaluate(cellsOutside)
        assert.deepEqual(outside, [], `${path} at ${width}`)
        await keepPicture(tab, `long${path.replace('/', '-')}.${width}`)
      }
    await tab.context().close()
  })

  it('payment: a refund asks the customer nothing, and a payment refunded in part says so', async () => {
    const reference = await pay({ customer_name: 'Issa Garba', msisdn: LOST_ANSWER, amount: 5_000 })
    const read = async () => (await api(`GET /payments/${reference}`)).body
    await until('payment', async () => (await read()).status === 'succeeded')
    const refund = await api(`POST /payments/${reference}/refund`, {
      amount: 2_000,
      refundId: 'r-1',
    })
    assert.equal(refund.code, 200)
    await until('refund', async () => (await read()).refundedAmount === 2_000)
    const { timeline } = await read()
    assert.ok(timeline.some(({ facts }: { facts: { is?: string } }) => facts.is === 'accepted'))
    const texts = await lookAt(`/payments/${reference}`, owner, 'refunded-in-part')
    assert.match(texts.fr, /Remboursé en partie/)
    assert.match(texts.en, /Refunded in part/)
    assert.doesNotMatch(texts.fr, /invité à valider/)
    assert.doesNotMatch(texts.en, /asked to approve/)
    const list = await lookAt('/payments', owner, 'payments')
    assert.match(list.fr, /Remboursé en partie/)
    assert.match(list.en, /Refunded in part/)
    for (const language of LANGUAGES) {
      const tab = await newTab(language, owner)
      await open(tab, '/payments')
      for (const width of WIDTHS) {
        await tab.setViewportSize({ width, height: 800 })
        assert.deepEqual(await tab.evaluate(cellsOutside), [], `${language} at ${width}`)
        await keepPicture(tab, `widths.${language}.${width}`)
      }
      await tab.context().close()
    }
  })

  it('paused network: home, the payer’s page and the hint of the API say that it is paused', async () => {
    const administrator = await signedIn(tabs.service, { forServiceAs: 'administrator' })
    const at = 'POST /console/connections/sandbox/airtel_ne'
    const link = await newLink(tabs.service, account.secretKey, {})
    assert.equal(
      (await ask(tabs.service, `${at}/pause`, administrator, { reason: 'Maintenance annoncée' }))
        .code,
      200,
    )
    const airtel = { country: 'NE', msisdn: '97123456' }
    const refused = await until('pause', async () => {
      const answer = await post(tabs.service, account.secretKey, order(airtel))
      return answer.code === 403 && answer
    })
    assert.equal(refused.body.message, 'Forbidden: Environment Not Available')
    assert.match(String(refused.headers['svc-error-hint']), /paused/)

    const home = await lookAt('', owner, 'paused-home')
    assert.match(
      home.fr,
      /Le service a mis Airtel Money \(Niger\) en pause le .*Motif : Maintenance annoncée/,
    )
    assert.match(
      home.en,
      /The service paused Airtel Money \(Niger\) on .*Reason: Maintenance annoncée/,
    )
    assert.doesNotMatch(home.fr, /ne répond pas/)
    assert.doesNotMatch(home.en, /not answered/)

    for (const language of LANGUAGES) {
      const tab = await tabs.newTab(language)
      await tab.setViewportSize({ width: 360, height: 740 })
      await tab.goto(`${tabs.url}/pay/${link}?lang=${language}`)
      const paused = {
        fr: 'En pause en ce moment : Airtel Money (Niger).',
        en: 'Paused right now: Airtel Money (Niger).',
      }
      assert.ok((await textOf(tab)).includes(paused[language]))
      await tab.locator('input[name=msisdn]').fill('97123456')
      await tab.locator('button[value=mobile]').click()
      await tab.locator('[role=alert]').waitFor()
      const said = (await tab.locator('[role=alert]').innerText()).replaceAll(
        /[\u00a0\u202f]/g,
        ' ',
      )
      const refusals = {
        fr: 'Les paiements par Airtel Money (Niger) sont en pause en ce moment. Réessayez plus tard, ou payez autrement.',
        en: 'Payments with Airtel Money (Niger) are paused right now. Try again later, or pay another way.',
      }
      assert.equal(said, refusals[language])
      assert.equal(await tab.locator('input[name=msisdn]').inputValue(), '97123456')
      assert.deepEqual(await inspect(tab, 'whole'), NOTHING)
      await keepPicture(tab, `paused-payer.${language}`)
      await tab.context().close()
    }
    assert.equal(
      (await ask(tabs.service, `${at}/resume`, administrator, { reason: 'over' })).code,
      200,
    )
  })

  it('cashier: pages without their right say whose role may, and no operation fails', async () => {
    const closed: [path: string, fr: RegExp, en: RegExp][] = [
      ['/money', /Propriétaire, Développeur, Comptable/, /Owner, Developer, Accountant/],
      [
        '/money/differences',
        /Propriétaire, Développeur, Comptable/,
        /Owner, Developer, Accountant/,
      ],
      ['/developers', /Propriétaire, Développeur\./, /Owner, Developer\./],
      ['/account/activity', /Rôles qui le peuvent : Propriétaire\./, /Roles that may: Owner\./],
    ]
    for (const [path, fr, en] of closed) {
      const texts = await lookAt(path, cashier, `cashier${path.replaceAll('/', '-')}`)
      assert.match(texts.fr, fr)
      assert.match(texts.en, en)
      assert.doesNotMatch(texts.fr, /échoué|n’existe pas/)
    }
    const tab = await newTab('en', cashier)
    const others = [
      '',
      '/payments',
      '/refunds',
      '/links',
      '/phone',
      '/account',
      '/account/brand',
      '/account/networks',
    ]
    for (const path of [...others, '/account/team', '/account/sites', '/account/security']) {
      await open(tab, path)
      assert.doesNotMatch(await textOf(tab), /The operation failed|Retry|does not exist/, path)
    }
    await tab.context().close()
  })

  it('refused by role: the answer names the roles that may', async () => {
    const refund = await ask(
      tabs.service,
      `POST /accounts/${account.accountId}/payments/x/refund`,
      cashier,
      {},
    )
    assert.deepEqual(
      [refund.code, refund.body],
      [403, { code: 'role_not_allowed', roles: ['owner'] }],
    )
  })
})

interface BoxInBrowser {
  right: number
  width: number
}

interface CellInBrowser {
  textContent: string
  getBoundingClientRect(): BoxInBrowser
  closest(selector: string): CellInBrowser | null
}

/** Cells that reach beyond the card of their table, or beyond the screen. Runs in the browser. */
function cellsOutside(): string[] {
  // @ts-expect-error this runs in the browser.
  const { document, innerWidth } = globalThis
  const cells: CellInBrowser[] = [...document.querySelectorAll('.card .rows :is(th, td)')]
  return cells
    .filter((cell) => {
      const box = cell.getBoundingClientRect()
      const card = cell.closest('.card')?.getBoundingClientRect()
      return box.width > 0 && card !== undefined && box.right > Math.min(card.right, innerWidth) + 1
    })
    .map((cell) => cell.textContent.slice(0, 40))
}

/** With KARBA_TEST_PICTURES, a folder: to look at. */
async function keepPicture(tab: Tab, name: string): Promise<void> {
  const folder = process.env.KARBA_TEST_PICTURES
  if (folder !== undefined) await tab.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}
