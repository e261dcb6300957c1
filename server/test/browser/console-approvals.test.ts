// Approvals in the console, in Chromium against the real server: a task shows what changed since it
// was requested, and offers what is still possible (D-190).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page as Tab } from 'playwright-core'
import { browserTests } from '../kit/browser.ts'
import { type DashboardTabs, openDashboardTabs } from '../kit/dashboard-tabs.ts'
import { ask, fillFile, type SignedIn, signedIn } from '../kit/people.ts'
import { getFrom, order, post, postAt } from '../kit/service.ts'
import { until } from '../kit/waiting.ts'
import { inspect } from './inspect-page.ts'

const LIMIT = 10_000
const AMOUNT = 3 * LIMIT

describe('approvals in the console', browserTests, async () => {
  let tabs: DashboardTabs
  let support: SignedIn
  let administrator: SignedIn

  before(async () => {
    tabs = await openDashboardTabs({
      KARBA_REFUND_APPROVAL_ABOVE: String(LIMIT),
      KARBA_SANDBOX_DELAY_MS: '0',
    })
    support = await signedIn(tabs.service, { forServiceAs: 'support' }, 'Sani Ibrahim')
    administrator = await signedIn(tabs.service, { forServiceAs: 'administrator' }, 'Aïssa Maïga')
  })
  after(() => tabs?.close())

  async function openTasks(language: 'fr' | 'en'): Promise<Tab> {
    const tab = await tabs.newTab(language, administrator.cookie)
    tab.setDefaultTimeout(15_000)
    await tab.addInitScript(`localStorage.setItem('karba-language', '${language}')`)
    await tab.setViewportSize({ width: 1280, height: 800 })
    await tab.goto(`${tabs.url}/dashboard/console/tasks`)
    await tab.locator('h1').waitFor()
    await tab.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
    return tab
  }
  const rowOf = async (tab: Tab, hasText: string | RegExp) => {
    const row = tab.getByRole('row').filter({ hasText })
    await row.waitFor()
    return {
      row,
      text: (await row.innerText()).replaceAll(/[\u00a0\u202f]/g, ' '),
      has: async (button: string): Promise<boolean> =>
        (await row.getByRole('button', { name: new RegExp(`^${button},`) }).count()) === 1,
    }
  }
  const setLive = (merchantId: string, status: string, reason: string) =>
    ask(tabs.service, `POST /console/merchants/${merchantId}/live/status`, support, {
      status,
      reason,
    })

  /** Phone and desk: nothing is cut off or without contrast. */
  async function look(tab: Tab, picture: string): Promise<void> {
    for (const width of [360, 1280]) {
      await tab.setViewportSize({ width, height: 800 })
      const folder = process.env.KARBA_TEST_PICTURES
      if (folder !== undefined)
        await tab.screenshot({ path: `${folder}/console-${picture}.${width}.png` })
      const { barriers, cutOff } = await inspect(tab, 'whole')
      assert.deepEqual([barriers, cutOff], [[], []], `${picture} at ${width}`)
    }
  }

  /** Of a new merchant whose live payment is to be refunded in part, by its key. */
  async function askRefund(name: string, refundId: string, amount: number) {
    const { merchantId, accounts } = await tabs.service.merchant({ name })
    const { secretKey } = accounts.live
    const { body } = await post(tabs.service, secretKey, order({ amount: AMOUNT }))
    const reference = String(body.reference)
    const isPaid = async () =>
      (await getFrom(tabs.service, secretKey, `/payments/${reference}`)).body.status
    await until('payment', async () => (await isPaid()) === 'succeeded')
    const refund = (more: object) =>
      postAt(tabs.service, secretKey, `/payments/${reference}/refund`, more)
    assert.equal((await refund({ amount, refund_id: refundId })).code, 200)
    return { merchantId, refund }
  }

  it('a refund asked before a suspension: both languages say so, and only its rejection is offered', async () => {
    const { merchantId } = await askRefund('Boutique Awa', 'r-1', LIMIT + 1)
    const before = await openTasks('fr')
    const asked = await rowOf(before, 'Boutique Awa')
    assert.deepEqual([await asked.has('Valider'), await asked.has('Refuser')], [true, true])
    assert.doesNotMatch(asked.text, /Depuis cette demande/)
    assert.equal((await setLive(merchantId, 'suspended', 'police report')).code, 200)

    // The page is older than the suspension: pressing its button tells why nothing happens, and
    // reads the list again.
    await asked.row.getByRole('button', { name: /^Valider,/ }).click()
    await before.getByRole('dialog').getByRole('button', { name: 'Valider', exact: true }).click()
    const said =
      'La situation a changé depuis cette demande. Lisez les changements, puis refusez-la'
    await before.getByRole('alert').getByText(said).waitFor()
    await before.getByText('le compte était validé, il est suspendu').first().waitFor()
    await before.context().close()

    for (const [language, changed, approve, reject] of [
      [
        'fr',
        'le compte était validé, il est suspendu. Elle ne peut plus qu’être refusée.',
        'Valider',
        'Refuser',
      ],
      [
        'en',
        'the account was validated, it is suspended now. It can only be rejected.',
        'Approve',
        'Reject',
      ],
    ] as const) {
      const tab = await openTasks(language)
      const { row, text, has } = await rowOf(tab, 'Boutique Awa')
      assert.ok(text.includes(changed), text)
      assert.deepEqual([await has(approve), await has(reject)], [false, true])
      await look(tab, `suspended-${language}`)
      await row.getByRole('button', { name: new RegExp(`^${reject},`) }).click()
      await tab.getByRole('dialog').getByText(changed).waitFor()
      await look(tab, `suspended-dialog-${language}`)
      if (language === 'en') {
        await tab.getByRole('dialog').getByRole('button', { name: reject, exact: true }).click()
        await row.waitFor({ state: 'detached' })
      }
      await tab.context().close()
    }
  })

  it('a refund asked before another one of the same payment: the sum is shown, and it may be approved', async () => {
    const { refund } = await askRefund('Pharmacie du Plateau', 'r-1', LIMIT + 1)
    assert.equal((await refund({ amount: 500, refund_id: 'r-2' })).code, 200)
    const tab = await openTasks('fr')
    const { text, has } = await rowOf(tab, /10.001.*Pharmacie du Plateau/)
    assert.match(text, /remboursements du paiement : 10 001 F CFA, maintenant 10 501 F CFA\./)
    assert.deepEqual([await has('Valider'), await has('Refuser')], [true, true])
    await look(tab, 'refunds-fr')
    await tab.context().close()
  })

  it('a validation asked before the file changed: it ends, and a page that still offers it says so', async () => {
    const { merchantId, accounts } = await tabs.service.merchant({
      name: 'École Zinder',
      validateLive: false,
    })
    const owner = await signedIn(tabs.service, { at: merchantId, as: 'owner' })
    await fillFile(tabs.service, owner, accounts.live.accountId)
    await setLive(merchantId, 'validated', 'papers fine')
    const tab = await openTasks('en')
    const { row } = await rowOf(tab, 'École Zinder')
    await row.getByRole('button', { name: /^Approve,/ }).click()
    await fillFile(tabs.service, owner, accounts.live.accountId)
    await tab.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click()
    await tab.getByRole('alert').getByText('waits for no approval any more').waitFor()
    await row.waitFor({ state: 'detached' })
    const { body } = await ask(tabs.service, `GET /console/merchants/${merchantId}`, administrator)
    assert.equal(
      body.accounts.find(({ environment }: { environment: string }) => environment === 'live')
        .status,
      'unvalidated',
    )
    await tab.context().close()
    assert.deepEqual(tabs.complaints, [])
  })
})
