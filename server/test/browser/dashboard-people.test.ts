// The page and the server together, as a new merchant meets them: an account, two-step sign-in, out and in again.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import type { Browser, Page as Tab } from 'playwright-core'
import { browserTests, openBrowser } from '../kit/browser.ts'
import { buildDashboard } from '../kit/dashboard-page.ts'
import { openTestService, type TestService } from '../kit/service.ts'

const PASSWORD = 'trois théières bleues'
const EMAIL = 'ramatou@example.com'
const STEP_MS = 30_000

describe('the dashboard’s page and its server', browserTests, () => {
  let service: TestService
  let browser: Browser
  let tab: Tab
  let url: string
  const complaints: string[] = []
  before(async () => {
    await buildDashboard()
    service = await openTestService()
    url = await service.app.listen({ port: 0, host: '127.0.0.1' })
    browser = await openBrowser()
    const context = await browser.newContext({ locale: 'en', reducedMotion: 'reduce' })
    tab = await context.newPage()
    tab.on(
      'console',
      (message) => message.text().includes('Content Security Policy') && complaints.push(message.text()),
    )
    tab.on('pageerror', (error) => complaints.push(error.message))
  })
  after(async () => {
    await browser?.close()
    await service?.remove()
  })
  const button = (name: string) => tab.getByRole('button', { name, exact: true })
  const password = () => tab.locator('input[name=password]')

  it('a merchant signs up and is in their sandbox, unmistakably', async () => {
    await tab.goto(`${url}/dashboard/sign-up`)
    await tab.getByLabel('Name of your business').fill('Épicerie Ramatou')
    await tab.getByLabel('Your name').fill('Ramatou Saley')
    await tab.getByLabel('Email address').fill(EMAIL)
    await password().fill(PASSWORD)
    await button('Create an account').click()
    await tab.getByText('Sandbox: no real money moves here.').waitFor()
    await tab.getByText('Épicerie Ramatou').first().waitFor()
    assert.match(tab.url(), /\/dashboard\/a\/acc_\w+$/)
  })

  it('two-step sign-in is turned on, and asked for the next time', async () => {
    await tab.goto(`${tab.url()}/account/security`)
    await button('Turn on').click()
    const secret = await tab.locator('.mono').first().innerText()
    const totp = new TOTP({ secret: secret.replaceAll(' ', '') })
    const code = (steps: number) => totp.generate({ timestamp: service.clock.now() + steps * STEP_MS })
    await tab.locator('input[name=code]').fill(code(0))
    await button('Turn on').click()
    await tab.getByText('Your recovery codes').waitFor()
    const [recovery = ''] = (await tab.locator('[role=dialog] pre').innerText()).split('\n')
    await button('I have kept them').click()
    await tab.getByText('A code from your phone is asked for at every sign-in.').waitFor()

    await tab.getByRole('button', { name: /^My account/ }).click()
    await tab.getByRole('menuitem', { name: 'Sign out' }).click()
    await tab.getByLabel('Email address').fill(EMAIL)
    await password().fill('un autre mot')
    await button('Sign in').click()
    await tab.getByText('Wrong email address or password.').waitFor()
    await password().fill(PASSWORD)
    await button('Sign in').click()
    await tab.getByLabel('Six-digit code').fill(recovery)
    await button('Continue').click()
    await tab.getByText('Épicerie Ramatou').first().waitFor()
    assert.deepEqual(complaints, [])
  })

  it('an owner invites somebody, who appears among those who are awaited', async () => {
    const account = /\/a\/(acc_\w+)/.exec(tab.url())?.[1]
    await tab.goto(`${url}/dashboard/a/${account}/account/team`)
    await button('Invite').click()
    await tab.getByRole('dialog').getByLabel('Email address').fill('koffi@example.com')
    await tab.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    await tab.getByText('Pending invitations').waitFor()
    await tab.locator('li', { hasText: 'koffi@example.com' }).waitFor()
    assert.deepEqual(complaints, [])
  })
})
