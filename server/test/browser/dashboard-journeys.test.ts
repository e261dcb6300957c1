// Journeys through the dashboard with a real browser, server, emails and webhook receiver. A new
// merchant: sign-up, keys, a payment on the sandbox phone, a poster, a live account that two
// members of staff validate. People: confirmation, invitation, password reset, two merchants,
// two-step sign-in.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import type { Page as Tab } from 'playwright-core'
import { browserTests } from '../kit/browser.ts'
import { type DashboardTabs, openDashboardTabs } from '../kit/dashboard-tabs.ts'
import { signedIn } from '../kit/people.ts'
import { openReceiver, type Receiver } from '../kit/receiver.ts'
import { head, order } from '../kit/service.ts'

/** Decides nothing by itself: there is time to answer on the sandbox phone. */
const WAITS_FOR_PHONE = '40410000127'

const NEW_OWNER = {
  business: 'Quincaillerie Idrissa',
  name: 'Idrissa Boubé',
  email: 'idrissa@example.com',
  password: 'trois théières bleues',
}

let tabs: DashboardTabs
let url: string

describe('dashboard journeys', browserTests, async () => {
  tabs = await openDashboardTabs({ KARBA_SANDBOX_DELAY_MS: '0' })
  url = tabs.url
  after(() => tabs?.close())

  describe('new merchant from sign-up to live payments', newMerchant)
  describe('people', people)
})

function newMerchant(): void {
  let receiver: Receiver
  let merchant: Tab
  let account: string
  let sandboxKey: string
  let firstKey: string
  before(async () => {
    receiver = await openReceiver()
    merchant = await tabs.newTab('en')
  })
  after(() => receiver?.close())

  const page = (path: string): Promise<unknown> =>
    merchant.goto(`${url}/dashboard/a/${account}${path}`)

  async function pay(secretKey: string, change: Record<string, unknown>): Promise<Response> {
    const body = JSON.stringify(order(change))
    return fetch(`${url}/api/v1/payments`, { method: 'POST', headers: head(secretKey), body })
  }

  async function makeKey(name: string): Promise<string> {
    await page('/developers')
    await press(merchant, 'New key')
    await merchant.locator('input[name=name]').fill(name)
    await press(merchant, 'Create the key')
    const secret = merchant.getByRole('dialog').getByText(/^sk_(sandbox|live)_\w{20,}$/)
    const key = await secret.innerText()
    await press(merchant, 'I have copied it')
    return key
  }

  it('the merchant signs up and makes a key, which is readable until they have it', async () => {
    await signUpIn(merchant, NEW_OWNER)
    account = accountOf(merchant)
    await merchant.getByText('Your sandbox secrets').waitFor()
    firstKey = await merchant.getByText(/^sk_sandbox_\w{20,}$/).innerText()
    sandboxKey = await makeKey('Web site')
    assert.match(sandboxKey, /^sk_sandbox_/)
    await merchant.reload()
    await merchant.getByText('Web site').waitFor()
    assert.equal(await merchant.getByText(sandboxKey).count(), 0)
  })

  it('the merchant adds a webhook endpoint and approves the first payment on the sandbox phone', async () => {
    await page('/developers/webhooks')
    await merchant.getByRole('button', { name: 'Add an endpoint' }).first().click()
    await merchant.getByLabel('Address of your server').fill(`${receiver.url}/hook`)
    await merchant.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await press(merchant, 'I have copied it')

    const created = await pay(sandboxKey, {
      msisdn: WAITS_FOR_PHONE,
      amount: 2500,
      customer_name: 'Issa Garba',
    })
    assert.equal(created.status, 200)
    await page('/phone')
    await merchant.getByText('Quincaillerie Idrissa requests a payment').waitFor()
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
    await merchant.getByLabel('Title').fill('Au comptoir')
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
    await merchant.getByText(/Any amount ·\sReusable/).waitFor()
  })

  it('only the sandbox is open until the merchant confirms the address', async () => {
    await confirmIn(merchant, NEW_OWNER)
  })

  it('the first secret key is still readable after the email was confirmed, until the merchant has it', async () => {
    for (const path of ['/developers', '']) {
      await page(path)
      await merchant.getByText(firstKey).waitFor()
    }
    assert.equal((await pay(firstKey, { amount: 500 })).status, 200)
    await merchant.getByRole('button', { name: 'I have it, Secret key', exact: true }).click()
    await merchant.getByText('Your sandbox secrets').waitFor({ state: 'detached' })
    await merchant.reload()
    await merchant.getByRole('heading', { name: 'Collected by day' }).waitFor()
    assert.equal(await merchant.getByText(firstKey).count(), 0)
  })

  it('two members of staff together validate the live account; one alone cannot', async () => {
    const [first, second] = [
      await signedIn(tabs.service, { forServiceAs: 'administrator' }, 'Aïssa Maïga'),
      await signedIn(tabs.service, { forServiceAs: 'administrator' }, 'Koffi Mensah'),
    ]
    const asks = await tabs.newTab('fr', first.cookie)
    await asks.goto(`${url}/dashboard/console/merchants`)
    await asks.getByRole('button', { name: 'Modifier, Quincaillerie Idrissa, Production' }).click()
    await asks.getByLabel('Motif').fill('Dossier complet')
    await asks.getByRole('dialog').getByRole('button', { name: 'Confirmer' }).click()
    await asks
      .getByText('Demande enregistrée : un deuxième administrateur doit la valider.')
      .waitFor()
    await asks.goto(`${url}/dashboard/console/tasks`)
    await asks.getByText('Quincaillerie Idrissa').waitFor()
    assert.equal(await asks.getByRole('button', { name: /^Valider/ }).count(), 0)

    const approves = await tabs.newTab('fr', second.cookie)
    await approves.goto(`${url}/dashboard/console/tasks`)
    await approves.getByRole('button', { name: /^Valider/ }).click()
    await approves.getByRole('dialog').getByRole('button', { name: 'Valider' }).click()
    await approves.getByText('Enregistré.').waitFor()
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
}

const OWNER = {
  business: 'Épicerie Ramatou',
  name: 'Ramatou Saley',
  email: 'ramatou@example.com',
  password: 'trois théières bleues',
}
const OTHER_OWNER = {
  business: 'Pharmacie du Plateau',
  name: 'Moussa Idé',
  email: 'moussa@example.com',
  password: 'quatre bols de mil',
}
const CASHIER = {
  email: 'koffi@example.com',
  name: 'Koffi Mensah',
  password: 'deux poissons fumés',
}
const NEW_PASSWORD = 'cinq mangues mûres'
const STEP_MS = 30_000

function people(): void {
  let owner: Tab
  let account: string
  before(async () => {
    owner = await tabs.newTab('en')
    await signUpIn(owner, OWNER)
    await confirmIn(owner, OWNER)
    account = accountOf(owner)
  })

  const open = (tab: Tab, path: string): Promise<unknown> => tab.goto(`${url}/dashboard${path}`)

  async function paidBy(tab: Tab, customer: string): Promise<string> {
    const key = { name: customer, permissions: null, networks: null }
    const made = await askIn(tab, 'POST', `/accounts/${accountOf(tab)}/keys`, key)
    const { secret } = made.body as { secret: string }
    const body = JSON.stringify(order({ customer_name: customer }))
    const created = await fetch(`${url}/api/v1/payments`, {
      method: 'POST',
      headers: head(secret),
      body,
    })
    const { reference } = (await created.json()) as { reference: string }
    const waited = await fetch(`${url}/api/v1/payments/${reference}?wait=20`, {
      headers: head(secret),
    })
    assert.equal(((await waited.json()) as { status: string }).status, 'succeeded')
    return reference
  }

  /** Only an owner is invited with the inviter's password. */
  async function invite(tab: Tab, email: string, role: string, password?: string): Promise<void> {
    await open(tab, `/a/${accountOf(tab)}/account/team`)
    await press(tab, 'Invite')
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Email address').fill(email)
    await dialog.getByLabel('Role').selectOption({ label: role })
    if (password !== undefined) await dialog.locator('input[name=password]').fill(password)
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await tab.locator('li', { hasText: email }).waitFor()
  }

  it('confirmation: a new person gets the email again and confirms on another device', async () => {
    const newcomer = {
      business: 'Tissus Zinder',
      name: 'Hadiza Oumarou',
      email: 'hadiza@example.com',
      password: 'sept pagnes rouges',
    }
    const laptop = await tabs.newTab('en')
    await signUpIn(laptop, newcomer)
    const band = laptop.getByText('Confirm your address hadiza@example.com')
    await band.waitFor()
    await press(laptop, 'Send the email again')
    await laptop.getByText('Email sent to hadiza@example.com').waitFor()
    await open(laptop, `/a/${accountOf(laptop)}/account/team`)
    await press(laptop, 'Invite')
    await laptop.getByRole('dialog').getByLabel('Email address').fill('other@example.com')
    await laptop.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    await laptop.getByText('First confirm your email address').waitFor()

    const phone = await tabs.newTab('en')
    await phone.goto(await tabs.addressInEmail(newcomer.email, /confirm your address/))
    await phone.locator('input[name=password]').fill('not the password')
    await press(phone, 'Confirm')
    await phone.getByText('Wrong password.').waitFor()
    await confirmIn(phone, newcomer)
    await laptop.reload()
    await isIn(laptop)
    assert.equal(await band.count(), 0)
  })

  it('invitation: a cashier joins by email, sees payments, makes a link, and cannot refund', async () => {
    const reference = await paidBy(owner, 'Issa Garba')
    await open(owner, `/a/${account}/payments/${reference}`)
    await owner.getByRole('button', { name: 'Refund', exact: true }).waitFor()
    await invite(owner, CASHIER.email, 'Cashier')
    const address = await tabs.addressInEmail(CASHIER.email, /invitation/)
    const cashier = await tabs.newTab('en')
    await cashier.goto(address)
    await cashier.getByText(/ invites you with the role “Cashier”/).waitFor()
    await cashier.getByLabel('Your name').fill(CASHIER.name)
    await cashier.locator('input[name=password]').fill(CASHIER.password)
    await press(cashier, 'Join')
    await cashier.getByText('Cashier', { exact: true }).first().waitFor()
    assert.equal(accountOf(cashier), account)
    await cashier.getByRole('link', { name: 'Payments', exact: true }).click()
    await cashier.getByText('Issa Garba').click()
    await cashier.getByRole('heading', { name: 'History' }).waitFor()
    assert.equal(await cashier.getByRole('button', { name: 'Refund', exact: true }).count(), 0)
    const refund = await askIn(
      cashier,
      'POST',
      `/accounts/${account}/payments/${reference}/refund`,
      {},
    )
    assert.deepEqual(
      [refund.code, refund.body],
      [403, { code: 'role_not_allowed', roles: ['owner'] }],
    )

    await cashier.getByRole('link', { name: 'Payment links' }).click()
    await cashier.getByRole('button', { name: 'New link' }).first().click()
    await cashier.getByLabel('Title').fill('Sac de riz')
    await press(cashier, 'Create the link')
    await cashier.getByRole('img', { name: /QR code/ }).waitFor()

    await open(owner, `/a/${account}/account/activity`)
    await owner.getByRole('row', { name: /Invitation accepted Koffi Mensah/ }).waitFor()
    await owner.getByLabel('What', { exact: true }).selectOption({ label: 'Payment links' })
    await owner.getByText('Invitation accepted').waitFor({ state: 'detached' })
    await owner.getByRole('row', { name: /Link created.*Sac de riz.*Koffi Mensah/ }).waitFor()
    await open(cashier, `/a/${account}/account/activity`)
    await cashier.getByText('Roles that may: Owner.').waitFor()

    const late = await tabs.newTab('en')
    await late.goto(address)
    await late.getByText('This invitation is no longer valid.').waitFor()
  })

  it('password reset: the email leads to a new password, and ends the sessions and the old password', async () => {
    const forgetful = await tabs.newTab('en')
    await open(forgetful, '/sign-in')
    await forgetful.getByRole('link', { name: 'Forgotten your password?' }).click()
    // The page is still to be loaded, and the one that is open has a field of that name too.
    await forgetful.getByRole('heading', { name: 'Forgotten password' }).waitFor()
    await forgetful.getByLabel('Email address').fill(OWNER.email)
    await press(forgetful, 'Send the link')
    await forgetful.getByText('an email was just sent to it').waitFor()
    const address = await tabs.addressInEmail(OWNER.email, /new password/)
    // An older email's link is open: the newer one changes only the hash and loads nothing.
    await open(forgetful, '/reset#older')
    await forgetful.goto(address)
    await forgetful.locator('input[name=password]').fill(NEW_PASSWORD)
    await press(forgetful, 'Change the password')
    await forgetful.getByText('Your password was changed. Sign in.').waitFor()

    await owner.reload()
    await owner.getByText('Your session has ended.').waitFor()
    await signInIn(owner, OWNER.email, OWNER.password)
    await owner.getByText('Wrong email address or password.').waitFor()
    await signInIn(owner, OWNER.email, NEW_PASSWORD)
    await isIn(owner)

    await forgetful.goto(address)
    await forgetful.getByRole('heading', { name: 'Link expired' }).waitFor()
    assert.equal(await forgetful.locator('input').count(), 0)
  })

  it('two merchants: their owner switches between them and never sees both', async () => {
    const other = await tabs.newTab('en')
    await signUpIn(other, OTHER_OWNER)
    await confirmIn(other, OTHER_OWNER)
    await paidBy(other, 'Zeinabou Ali')
    await invite(other, OWNER.email, 'Owner', OTHER_OWNER.password)
    await owner.goto(await tabs.addressInEmail(OWNER.email, /Pharmacie/))
    await owner.locator('input[name=password]').fill(NEW_PASSWORD)
    await press(owner, 'Join')
    const switcher = (name: string) =>
      owner.getByRole('button', { name: `Change merchant: ${name}` })
    await switcher(OTHER_OWNER.business).waitFor()
    assert.equal(accountOf(owner), accountOf(other))

    const sees = async (customer: string, not: string): Promise<void> => {
      await owner.getByRole('link', { name: 'Payments', exact: true }).click()
      await owner.getByText(customer).waitFor()
      assert.equal(await owner.getByText(not).count(), 0)
    }
    await sees('Zeinabou Ali', 'Issa Garba')
    await switcher(OTHER_OWNER.business).click()
    await owner.getByRole('menuitem', { name: OWNER.business }).click()
    await switcher(OWNER.business).waitFor()
    await sees('Issa Garba', 'Zeinabou Ali')
    await open(owner, '')
    await switcher(OWNER.business).waitFor()
    assert.equal(accountOf(owner), account)
    // Until they sign out: then it is the first by name again.
    await signOutOf(owner)
    await signInIn(owner, OWNER.email, NEW_PASSWORD)
    await switcher(OTHER_OWNER.business).waitFor()
  })

  it('two-step sign-in: a code of the app works once, and a recovery code once', async () => {
    await open(owner, `/a/${account}/account/security`)
    await press(owner, 'Turn on')
    const secret = await owner.locator('.mono').first().innerText()
    const totp = new TOTP({ secret: secret.replaceAll(' ', '') })
    const code = (steps: number): string =>
      totp.generate({ timestamp: tabs.service.clock.now() + steps * STEP_MS })
    await owner.locator('input[name=code]').fill(code(0))
    await press(owner, 'Turn on')
    await owner.getByText('Your recovery codes').waitFor()
    const [recovery = ''] = (await owner.locator('[role=dialog] pre').innerText()).split('\n')
    await press(owner, 'I have saved them')
    await owner.getByText('Every sign-in needs a code from your phone.').waitFor()

    const signInWith = async (label: string, typed: string): Promise<void> => {
      await signInIn(owner, OWNER.email, NEW_PASSWORD)
      await owner.getByLabel('Six-digit code').waitFor()
      if (label === 'Recovery code') await press(owner, 'I do not have my phone')
      await owner.getByLabel(label).fill(typed)
      await press(owner, 'Continue')
    }
    await signOutOf(owner)
    const next = code(1)
    await signInWith('Six-digit code', next)
    await isIn(owner)
    await signOutOf(owner)
    await signInWith('Six-digit code', next)
    await owner.getByText('This code is not valid, or was used already.').waitFor()
    await press(owner, 'I do not have my phone')
    await owner.getByLabel('Recovery code').fill(recovery)
    await press(owner, 'Continue')
    await isIn(owner)
    await signOutOf(owner)
    await signInWith('Recovery code', recovery)
    await owner.getByText('This code is not valid, or was used already.').waitFor()
    assert.deepEqual(tabs.complaints, [])
  })
}

const press = (tab: Tab, name: string): Promise<void> =>
  tab.getByRole('button', { name, exact: true }).click()

const accountOf = (tab: Tab): string => /\/a\/(acc_\w+)/.exec(tab.url())?.[1] as string

/** In the sandbox. */
const isIn = (tab: Tab): Promise<void> =>
  tab.getByText('Sandbox: no real money is charged.').waitFor()

/** Signs up a new merchant's owner, who is in the sandbox afterwards. */
async function signUpIn(tab: Tab, person: typeof OWNER): Promise<void> {
  await tab.goto(`${url}/dashboard/sign-up`)
  await tab.getByLabel('Name of your business').fill(person.business)
  await tab.getByLabel('Your name').fill(person.name)
  await tab.getByLabel('Email address').fill(person.email)
  await tab.locator('input[name=password]').fill(person.password)
  await press(tab, 'Create an account')
  await isIn(tab)
}

/** Follows the link of the email, types the password, and is in the sandbox again. */
async function confirmIn(tab: Tab, { email, password }: typeof OWNER): Promise<void> {
  await tab.goto(await tabs.addressInEmail(email, /confirm your address/))
  await tab.getByRole('heading', { name: 'Confirm your address' }).waitFor()
  await tab.locator('input[name=password]').fill(password)
  await press(tab, 'Confirm')
  await isIn(tab)
}

async function signInIn(tab: Tab, email: string, password: string): Promise<void> {
  await tab.getByLabel('Email address').fill(email)
  await tab.locator('input[name=password]').fill(password)
  await press(tab, 'Sign in')
}

async function signOutOf(tab: Tab): Promise<void> {
  await tab.getByRole('button', { name: /^My account/ }).click()
  await tab.getByRole('menuitem', { name: 'Sign out' }).click()
  await tab.getByLabel('Email address').waitFor()
}

/** A request as the tab's own page sends it: with its cookie and from its origin. */
function askIn(
  tab: Tab,
  method: string,
  path: string,
  body?: object,
): Promise<{ code: number; body: unknown }> {
  const headers = { 'content-type': 'application/json' }
  const request = { method, ...(body !== undefined && { headers, body: JSON.stringify(body) }) }
  const ask = async ([where, sent]: readonly [string, RequestInit]) => {
    const answer = await fetch(`/dashboard/api${where}`, sent)
    return { code: answer.status, body: await answer.json() }
  }
  return tab.evaluate(ask, [path, request] as const)
}
