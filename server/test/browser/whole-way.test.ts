// The way of a new merchant through the dashboard, with a real browser, server and receiver: from an account to keys, a payment that is approved
// on the sandbox phone, its webhook, a poster, and a live account that two of the service's people open.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page as Tab } from 'playwright-core'
import { browserTests, openBrowser } from '../kit/browser.ts'
import { buildDashboard } from '../kit/dashboard-page.ts'
import { signedIn } from '../kit/people.ts'
import { openReceiver, type Receiver } from '../kit/receiver.ts'
import { head, openTestService, order, type TestService } from '../kit/service.ts'

/** Decides nothing by itself: there is time to answer on the sandbox phone. */
const WAITS_FOR_PHONE = '40410000127'

describe('the whole way of a new merchant', browserTests, () => {
  let service: TestService
  let receiver: Receiver
  let browser: Browser
  let url: string
  let merchant: Tab
  let account: string
  let sandboxKey: string
  before(async () => {
    await buildDashboard()
    service = await openTestService()
    receiver = await openReceiver()
    url = await service.app.listen({ port: 0, host: '127.0.0.1' })
    browser = await openBrowser()
    merchant = await newTab('en')
  })
  after(async () => {
    await browser?.close()
    await receiver?.close()
    await service?.remove()
  })

  async function newTab(locale: string, cookie?: string): Promise<Tab> {
    const context = await browser.newContext({ locale, reducedMotion: 'reduce' })
    const [name, value] = cookie?.split('=') ?? []
    if (name !== undefined && value !== undefined) await context.addCookies([{ name, value, url }])
    return context.newPage()
  }

  const page = (path: string): Promise<unknown> => merchant.goto(`${url}/dashboard/a/${account}${path}`)
  const press = (tab: Tab, name: string): Promise<void> => tab.getByRole('button', { name, exact: true }).click()

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

  it('signs up, and makes a key that is shown once', async () => {
    await merchant.goto(`${url}/dashboard/sign-up`)
    await merchant.getByLabel('Name of your business').fill('Épicerie Ramatou')
    await merchant.getByLabel('Your name').fill('Ramatou Saley')
    await merchant.getByLabel('Email address').fill('ramatou@example.com')
    await merchant.locator('input[name=password]').fill('trois théières bleues')
    await press(merchant, 'Create an account')
    await merchant.getByText('Sandbox: no real money moves here.').waitFor()
    account = /\/a\/(acc_\w+)/.exec(merchant.url())?.[1] as string
    sandboxKey = await makeKey('Web site')
    assert.match(sandboxKey, /^sk_sandbox_/)
    await merchant.reload()
    await merchant.getByText('Web site').waitFor()
    assert.equal(await merchant.getByText(sandboxKey).count(), 0)
  })

  it('adds a receiver, and approves the first payment on the sandbox phone', async () => {
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

  it('sees the payment, and in the log what its server was told', async () => {
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

  it('makes a link for a poster with any amount', async () => {
    await page('/links')
    await merchant.getByRole('button', { name: 'New link' }).first().click()
    await merchant.getByLabel('What for?').fill('Au comptoir')
    await merchant.locator('input[name=reusable]').check()
    await press(merchant, 'Make the link')
    await merchant.getByRole('img', { name: /QR code/ }).waitFor()
    const reference = /links\/(\w+)$/.exec(merchant.url())?.[1] as string
    const poster = await newTab('en')
    await poster.context().addCookies(await merchant.context().cookies())
    await poster.goto(`${url}/dashboard/api/accounts/${account}/links/${reference}/poster`)
    await poster.getByText('Au comptoir').waitFor()
    await poster.goto(`${url}/pay/${reference}`)
    await poster.getByLabel('Amount, in CFA francs').waitFor()
    await page('/links')
    await merchant.getByText(/Any amount · Reusable/).waitFor()
  })

  it('is opened for live by two of the service’s people, and by no single one', async () => {
    const [first, second] = [
      await signedIn(service, { forServiceAs: 'administrator' }, 'Aïssa Maïga'),
      await signedIn(service, { forServiceAs: 'administrator' }, 'Koffi Mensah'),
    ]
    const asks = await newTab('fr', first.cookie)
    await asks.goto(`${url}/dashboard/console/merchants`)
    await asks.getByRole('button', { name: 'Changer : Épicerie Ramatou, Réel' }).click()
    await asks.getByLabel('Motif').fill('Dossier complet')
    await asks.getByRole('dialog').getByRole('button', { name: 'Confirmer' }).click()
    await asks.getByText('Demande enregistrée : une deuxième personne doit l’approuver.').waitFor()
    await asks.goto(`${url}/dashboard/console/tasks`)
    await asks.getByText('Épicerie Ramatou').waitFor()
    assert.equal(await asks.getByRole('button', { name: /^Approuver/ }).count(), 0)

    const approves = await newTab('fr', second.cookie)
    await approves.goto(`${url}/dashboard/console/tasks`)
    await approves.getByRole('button', { name: /^Approuver/ }).click()
    await approves.getByRole('dialog').getByRole('button', { name: 'Approuver' }).click()
    await approves.getByText('C’est noté.').waitFor()
  })

  it('collects with a live key', async () => {
    await page('')
    await merchant.reload()
    await merchant.getByText('Live', { exact: true }).click()
    await merchant.waitForURL((address) => !address.pathname.includes(account))
    account = /\/a\/(acc_\w+)/.exec(merchant.url())?.[1] as string
    const liveKey = await makeKey('Web site')
    assert.match(liveKey, /^sk_live_/)
    assert.equal((await pay(liveKey, { amount: 1000 })).status, 200)
    assert.equal((await pay(sandboxKey, { amount: 1000 })).status, 200)
  })
})
