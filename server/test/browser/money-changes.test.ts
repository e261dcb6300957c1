// Changes of where live money goes, as owners meet them: pages of the real server in Chromium, with
// pawaPay's simulator behind it. In French on a phone, in English at a desk.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { Page as Tab } from 'playwright-core'
import { words as english } from '../../../dashboard/src/words/en.ts'
import { words as french } from '../../../dashboard/src/words/fr.ts'
import { startNetworkServer } from '../../../simulators/src/network-server.ts'
import { pawapayNetwork } from '../../../simulators/src/pawapay/network.ts'
import { realClock } from '../../src/service/runtime.ts'
import { browserTests } from '../kit/browser.ts'
import { openDashboardTabs } from '../kit/dashboard-tabs.ts'
import { ask, fillFile, PASSWORD, type SignedIn, signedIn } from '../kit/people.ts'
import { inspect } from './inspect-page.ts'

const WORDS = { fr: french, en: english }
type Language = keyof typeof WORDS
const WITHIN_MS = 15_000
const SIZES = { fr: { width: 360, height: 740 }, en: { width: 1280, height: 860 } }
const ALIASES = {
  fr: '3497a720-ab11-4973-9619-534e04f263a1',
  en: '00000000-ab11-4973-9619-534e04f263a1',
}
const WRONG_PASSWORD = { fr: 'Mot de passe incorrect.', en: 'Wrong password.' }
const SECOND_OWNER = {
  fr: 'Un autre propriétaire doit confirmer ce changement.',
  en: 'Another owner must confirm this change.',
}

describe('changes of where money goes, in a browser', browserTests, async () => {
  const random = { bytes: (count: number) => randomBytes(count) }
  const sendCallback = async () => undefined
  const network = pawapayNetwork({ clock: realClock, random, decideAfterMs: 200, sendCallback })
  const simulator = await startNetworkServer(network, { clock: realClock })
  const tabs = await openDashboardTabs({ KARBA_NETWORK_ADDRESSES: `live/pawapay=${simulator.url}` })
  after(async () => {
    await tabs.close()
    await simulator.close()
  })
  for (const language of ['fr', 'en'] as const)
    describe(language, () => journey(tabs, language, network.credentials))
})

function journey(
  tabs: Awaited<ReturnType<typeof openDashboardTabs>>,
  language: Language,
  credentials: Readonly<Record<string, unknown>>,
): void {
  const words = WORDS[language]
  const { moneyChanges, networks, shell } = words
  let merchant: Awaited<ReturnType<typeof tabs.service.merchant>>
  let awa: SignedIn
  let binta: SignedIn
  let asker: Tab
  let second: Tab
  let live: string

  before(async () => {
    merchant = await tabs.service.merchant({ name: 'Boutique Awa' })
    live = merchant.accounts.live.accountId
    awa = await signedIn(tabs.service, { at: merchant.merchantId, as: 'owner' }, 'Awa Diallo')
    // An alias needs to know the country.
    await fillFile(tabs.service, awa, live)
    asker = await tabOf(awa)
  })

  async function tabOf({ cookie }: SignedIn): Promise<Tab> {
    const tab = await tabs.newTab(language, cookie)
    await tab.addInitScript(`localStorage.setItem('karba-language', '${language}')`)
    await tab.setViewportSize(SIZES[language])
    tab.setDefaultTimeout(WITHIN_MS)
    return tab
  }

  const open = async (tab: Tab, path: string, accountId = live): Promise<void> => {
    await tab.goto(`${tabs.url}/dashboard/a/${accountId}${path}`)
    await tab.locator('h1').waitFor()
    await tab.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
  }

  /** Nothing is cut off, too small or without contrast. */
  async function look(tab: Tab, picture: string): Promise<void> {
    const folder = process.env.KARBA_TEST_PICTURES
    if (folder !== undefined)
      await tab.screenshot({ path: `${folder}/money-${picture}.${language}.png` })
    const { barriers, cutOff } = await inspect(tab, 'whole')
    // Tabs scroll sideways.
    const cut = cutOff.filter((each) => !/<a href="[^"]*\/account\//.test(each))
    assert.deepEqual([barriers, cut], [[], []], picture)
  }

  const press = (tab: Tab, name: string): Promise<void> =>
    tab.getByRole('button', { name, exact: true }).last().click()
  const giveProof = async (tab: Tab, password = PASSWORD): Promise<void> =>
    tab.locator('input[name=password]').fill(password)
  const waiting = async (who: SignedIn): Promise<{ changeId: string }[]> =>
    (await ask(tabs.service, `GET /accounts/${live}/money-changes`, who)).body.rows

  async function fillConnection(label: string): Promise<void> {
    await open(asker, '/account/networks')
    await press(asker, networks.add)
    await asker.getByRole('dialog').locator('select').first().selectOption('pawapay')
    await asker.locator('input[name=label]').fill(label)
    await asker.locator('input[name="field.apiToken"]').fill(String(credentials.apiToken))
  }

  const decideOn = async (tab: Tab, verb: string): Promise<void> => {
    await tab
      .locator('.attention')
      .getByRole('button', { name: new RegExp(`^${verb},`) })
      .click()
    await tab.getByRole('dialog').waitFor()
  }

  it('a live connection of the only owner: the password again, and it works at once', async () => {
    await fillConnection('Contrat Awa')
    await giveProof(asker, 'another long phrase')
    await press(asker, networks.connect)
    await asker.getByText(WRONG_PASSWORD[language]).waitFor()
    await look(asker, 'wrong-password')
    await giveProof(asker)
    await press(asker, networks.connect)
    await asker.getByText(networks.added).waitFor()
    await asker.getByText('Contrat Awa').first().waitFor()
    await look(asker, 'added')
    assert.deepEqual(await waiting(awa), [])
  })

  it('new credentials with a second owner: they wait, and the second confirms with their password', async () => {
    binta = await signedIn(tabs.service, { at: merchant.merchantId, as: 'owner' }, 'Binta Sow')
    second = await tabOf(binta)
    await open(asker, '/account/networks')
    await asker.getByRole('button', { name: /Contrat Awa/ }).click()
    await asker.getByRole('menuitem', { name: networks.replace }).click()
    await asker.locator('input[name="field.apiToken"]').fill(String(credentials.apiToken))
    await giveProof(asker)
    await look(asker, 'replace')
    await press(asker, networks.replace)
    await asker.getByText(moneyChanges.sent).waitFor()
    await asker.getByText(moneyChanges.ownWaits).waitFor()
    await look(asker, 'own-waits')
    assert.equal(
      await asker.getByRole('button', { name: new RegExp(`^${shell.confirm},`) }).count(),
      0,
    )

    await open(second, '')
    const asked = moneyChanges.asked('Awa Diallo', moneyChanges.credentials('Contrat Awa'))
    await second.getByText(asked).waitFor()
    await look(second, 'second-sees')
    await decideOn(second, shell.confirm)
    await giveProof(second, 'another long phrase')
    await press(second, shell.confirm)
    await second.getByText(WRONG_PASSWORD[language]).waitFor()
    await giveProof(second)
    await look(second, 'second-confirms')
    await press(second, shell.confirm)
    await second.getByText(moneyChanges.confirmed).waitFor()
    await second.getByText(asked).waitFor({ state: 'detached' })
    assert.deepEqual(await waiting(awa), [])
  })

  it('another connection: the second owner rejects it, and the asker withdraws it', async () => {
    for (const [who, tab, verb] of [
      [binta, second, moneyChanges.reject],
      [awa, asker, moneyChanges.withdraw],
    ] as const) {
      await fillConnection('Second contrat')
      await giveProof(asker)
      await press(asker, networks.connect)
      await asker.getByText(moneyChanges.sent).waitFor()
      assert.equal((await waiting(who)).length, 1)
      await open(tab, '/account/networks')
      await decideOn(tab, verb)
      await look(tab, tab === asker ? 'withdraw' : 'reject')
      await press(tab, verb)
      await tab.getByText(moneyChanges.rejected).waitFor()
      assert.deepEqual(await waiting(who), [])
      assert.equal(await tab.getByText('Second contrat').count(), 0)
    }
  })

  it('the PI-SPI alias, also from the sandbox: it waits in sight of both owners', async () => {
    for (const accountId of [live, merchant.accounts.sandbox.accountId]) {
      await open(asker, '/account/brand', accountId)
      await asker.locator('input[name=alias]').fill(ALIASES[language])
      await giveProof(asker)
      await press(asker, shell.save)
      await asker.getByText(moneyChanges.sent).waitFor()
      await asker.getByText(moneyChanges.ownWaits).waitFor()
      await asker.getByText(moneyChanges.ownWaits).scrollIntoViewIfNeeded()
      await look(asker, `alias-${accountId === live ? 'live' : 'sandbox'}`)
      assert.equal(await asker.locator('input[name=alias]').inputValue(), '')
      await open(second, '/account/brand', accountId)
      await second
        .getByText(moneyChanges.asked('Awa Diallo', moneyChanges.alias(ALIASES[language], null)))
        .waitFor()
    }
    await decideOn(second, shell.confirm)
    await giveProof(second)
    await press(second, shell.confirm)
    await second.getByText(moneyChanges.confirmed).waitFor()
    await open(second, '/account/brand')
    assert.equal(await second.locator('input[name=alias]').inputValue(), ALIASES[language])
    await look(second, 'alias-changed')
  })

  it('owners: with the password a cashier becomes one and is removed; an invitation of an owner asks for it too', async () => {
    const { team } = words
    const cashier = await signedIn(
      tabs.service,
      { at: merchant.merchantId, as: 'cashier' },
      'Issa Garba',
    )
    const roleOf = async (): Promise<string | undefined> =>
      (await ask(tabs.service, `GET /accounts/${live}/team`, awa)).body.members.find(
        ({ personId }: { personId: string }) => personId === cashier.personId,
      )?.role
    const choose = async (name: string): Promise<void> => {
      const row = asker.locator('tr', { hasText: 'Issa Garba' })
      await row.getByRole('button').click()
      await asker.getByRole('menuitem', { name, exact: true }).click()
    }
    await open(asker, '/account/team')
    await choose(shell.roles.owner)
    await asker.getByRole('heading', { name: team.ownerTitle }).waitFor()
    await giveProof(asker, 'another long phrase')
    await press(asker, shell.confirm)
    await asker.getByText(WRONG_PASSWORD[language]).waitFor()
    await look(asker, 'new-owner')
    assert.equal(await roleOf(), 'cashier')
    await giveProof(asker)
    await press(asker, shell.confirm)
    await asker.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await roleOf(), 'owner')

    await choose(team.remove)
    await asker.getByText(team.ownerHelp).waitFor()
    await look(asker, 'remove-owner')
    await giveProof(asker)
    await press(asker, team.remove)
    await asker.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await roleOf(), undefined)

    await press(asker, team.invite)
    await asker.getByRole('dialog').locator('select').selectOption('owner')
    await asker.locator('input[name=email]').fill('partner@example.com')
    await giveProof(asker)
    await look(asker, 'invite-owner')
    await press(asker, team.invite)
    await asker.getByText('partner@example.com').first().waitFor()
  })

  it('forged confirmations are refused with the reason: of the asker, a cashier, another merchant', async () => {
    await fillConnection('Second contrat')
    await giveProof(asker)
    await press(asker, networks.connect)
    await asker.getByText(moneyChanges.sent).waitFor()
    const changeId = (await waiting(awa))[0]?.changeId

    // A page that offers the asker what it should not.
    await asker.route('**/money-changes', async (route) => {
      const answer = await route.fetch()
      const { rows } = (await answer.json()) as { rows: object[] }
      await route.fulfill({
        response: answer,
        json: { rows: rows.map((row) => ({ ...row, isOwn: false })) },
      })
    })
    await open(asker, '/account/networks')
    await decideOn(asker, shell.confirm)
    await giveProof(asker)
    await press(asker, shell.confirm)
    await asker.getByRole('alert').getByText(SECOND_OWNER[language]).waitFor()
    await look(asker, 'forged')
    await asker.unroute('**/money-changes')

    const cashier = await signedIn(
      tabs.service,
      { at: merchant.merchantId, as: 'cashier' },
      'Koffi Mensah',
    )
    const other = await tabs.service.merchant({ name: 'Pharmacie du Plateau' })
    const stranger = await signedIn(
      tabs.service,
      { at: other.merchantId, as: 'owner' },
      'Moussa Idé',
    )
    const proof = { password: PASSWORD }
    const own = `/accounts/${live}/money-changes/${changeId}/confirm`
    const theirs = `/accounts/${other.accounts.live.accountId}/money-changes/${changeId}/confirm`
    for (const [who, path, code, body] of [
      [cashier, own, 403, { code: 'role_not_allowed', roles: ['owner'] }],
      [stranger, own, 404, { code: 'account_not_found' }],
      [stranger, theirs, 404, { code: 'money_change_not_found' }],
    ] as const) {
      const tab = await tabOf(who)
      await tab.goto(`${tabs.url}/dashboard`)
      const answer = await askIn(tab, path, proof)
      assert.equal(answer.code, code)
      assert.partialDeepStrictEqual(answer.body, body)
      await tab.context().close()
    }
    assert.equal((await waiting(binta)).length, 1)
    assert.deepEqual(tabs.complaints, [])
  })
}

/** As the tab's own page sends it: with its cookie and from its origin. */
function askIn(tab: Tab, path: string, body: object): Promise<{ code: number; body: unknown }> {
  const post = async ([where, sent]: readonly [string, string]) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`/dashboard/api${where}`, { method: 'POST', headers, body: sent })
    return { code: answer.status, body: await answer.json() }
  }
  return tab.evaluate(post, [path, JSON.stringify(body)] as const)
}
