// A new merchant in the dashboard with a real browser, server and webhook receiver: sign-up, keys, a payment approved on the sandbox
// phone, its webhook, a poster, and a live account that two members of staff validate.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page as Tab } from 'playwright-core'
import { browserTests } from '../kit/browser.ts'
import { accountOf, confirmIn, type DashboardTabs, openDashboardTabs, press, signUpIn } from '../kit/dashboard-tabs.ts'
import { signedIn } from '../kit/people.ts'
import { openReceiver, type Receiver } from '../kit/receiver.ts'
import { head, order } from '../kit/service.ts'

/** Decides nothing by itself: there is time to answer on the sandbox phone. */
const WAITS_FOR_PHONE = '40410000127'

const OWNER = {
  ...{ business: 'Épicerie Ramatou', name: 'Ramatou Saley' },
  ...{ email: 'ramatou@example.com', password: 'trois théières bleues' },
}

describe('new merchant from sign-up to live payments', browserTests, () => {
  let tabs: DashboardTabs
  let receiver: Receiver
  let url: string
  let merchant: Tab
  let account: string
  let sandboxKey: string
  before(async () => {
    tabs = await openDashboardTabs()
    receiver = await openReceiver()
    url = tabs.url
    merchant = await tabs.newTab('en')
  })
  after(async () => {
    await tabs?.close()
    await receiver?.close()
  })

  const page = (path: string): Promise<unknown> => merchant.goto(`${url}/dashboard/a/${account}${path}`)

  async function pay(secretKey: string, change: Record<string, unknown>): Promise<Response> {
    const body = JSON.stringify(order(change))
    return fetch(`${url}/api/v1/payments`, { method: 'POST', headers: head(secretKey), body })
  }

  async function makeKey(name: string): Promise<string> {
    await page('/developers')
    await press(merchant, 'New key')
    await merchant.locator('input[name=name]').fill(name)
    await press(merchant, 'Create the key')
    const secret = merchant.getByText(/^sk_(sandbox|live)_\w{20,}$/)
    const key = await secret.innerText()
    await press(merchant, 'I have copied it')
    return key
  }

  it('the merchant signs up and makes a key, which is shown once', async () => {
    await signUpIn(merchant, url, OWNER)
    account = accountOf(merchant)
    sandboxKey = await makeKey('Web site')
    assert.match(sandboxKey, /^sk_sandbox_/)
    await merchant.reload()
    await merchant.getByText('Web site').waitFor()
    assert.equal(await merchant.getByText(sandboxKey).count(), 0)
  })

  it('the merchant adds a webhook endpoint and approves the first payment on the sandbox phone', async () => {
    await page('/developers/webhooks')
    await merchant.getByRole('button', { name: 'Add an address' }).first().click()
    await merchant.getByLabel('Address of your server').fill(`${receiver.url}/hook`)
    await merchant.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await press(merchant, 'I have copied it')

    const created = await pay(sandboxKey, { msisdn: WAITS_FOR_PHONE, amount: 2500, customer_name: 'Issa Garba' })
    assert.equal(created.status, 200)
    await page('/phone')
    await merchant.getByText('Épicerie Ramatou asks for a payment').waitFor()
    await merchant.getByLabel('PIN').fill('1234')
    await press(merchant, 'Approve')
    await merchant.getByText('Approved: the payment succeeds.').waitFor()
    const { event } = await receiver.nth(1)
    assert.equal(event.event, 'payment.succeeded')
  })

  it('the dashboard shows the payment and its webhook delivery', async () => {
    await page('/payments')
    await merchant.getByText('Issa Garba').click()
    await merchant.getByRole('heading', { name: /2.500/ }).first().waitFor()
    await page('/developers/deliveries')
    await merchant.getByText('payment.succeeded').first().waitFor()
    await merchant
      .getByRole('cell', { name: /Delivered/ })
      .first()
      .waitFor()
  })

  it('the merchant makes a poster link with a free amount', async () => {
    await page('/links')
    await merchant.getByRole('button', { name: 'New link' }).first().click()
    await merchant.getByLabel('What for?').fill('Au comptoir')
    await merchant.locator('input[name=reusable]').check()
    await press(merchant, 'Create the link')
    await merchant.getByRole('img', { name: /QR code/ }).waitFor()
    const reference = /links\/(\w+)$/.exec(merchant.url())?.[1] as string
    const poster = await tabs.newTab('en')
    await poster.context().addCookies(await merchant.context().cookies())
    await poster.goto(`${url}/dashboard/api/accounts/${account}/links/${reference}/poster`)
    await poster.getByText('Au comptoir').waitFor()
    await poster.goto(`${url}/pay/${reference}`)
    await poster.getByLabel('Amount, in CFA francs').waitFor()
    await page('/links')
    await merchant.getByText(/Any amount · Reusable/).waitFor()
  })

  it('only the sandbox is open until the merchant confirms the address', async () => {
    await confirmIn(merchant, tabs, OWNER)
  })

  it('two members of staff together validate the live account; one alone cannot', async () => {
    const [first, second] = [
      await signedIn(tabs.service, { forServiceAs: 'administrator' }, 'Aïssa Maïga'),
      await signedIn(tabs.service, { forServiceAs: 'administrator' }, 'Koffi Mensah'),
    ]
    const asks = await tabs.newTab('fr', first.cookie)
    await asks.goto(`${url}/dashboard/console/merchants`)
    await asks.getByRole('button', { name: 'Changer : Épicerie Ramatou, Réel' }).click()
    await asks.getByLabel('Motif').fill('Dossier complet')
    await asks.getByRole('dialog').getByRole('button', { name: 'Confirmer' }).click()
    await asks.getByText('Demande enregistrée : une deuxième personne doit l’approuver.').waitFor()
    await asks.goto(`${url}/dashboard/console/tasks`)
    await asks.getByText('Épicerie Ramatou').waitFor()
    assert.equal(await asks.getByRole('button', { name: /^Approuver/ }).count(), 0)

    const approves = await tabs.newTab('fr', second.cookie)
    await approves.goto(`${url}/dashboard/console/tasks`)
    await approves.getByRole('button', { name: /^Approuver/ }).click()
    await approves.getByRole('dialog').getByRole('button', { name: 'Approuver' }).click()
    await approves.getByText('C’est fait.').waitFor()
  })

  it('the merchant collects with a live key', async () => {
    await page('')
    await merchant.reload()
    await merchant.getByText('Live', { exact: true }).click()
    await merchant.waitForURL((address) => !address.pathname.includes(account))
    account = accountOf(merchant)
    const liveKey = await makeKey('Web site')
    assert.match(liveKey, /^sk_live_/)
    assert.equal((await pay(liveKey, { amount: 1000 })).status, 200)
    assert.equal((await pay(sandboxKey, { amount: 1000 })).status, 200)
  })
})
