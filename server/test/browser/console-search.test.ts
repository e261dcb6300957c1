// The staff's search in the console, in Chromium against the real server: it stays in the address.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { browserTests } from '../kit/browser.ts'
import { type DashboardTabs, openDashboardTabs } from '../kit/dashboard-tabs.ts'
import { signedIn } from '../kit/people.ts'
import { order, post } from '../kit/service.ts'

describe('the search in the console', browserTests, async () => {
  let tabs: DashboardTabs

  before(async () => {
    tabs = await openDashboardTabs({ KARBA_SANDBOX_DELAY_MS: '0' })
  })
  after(() => tabs?.close())

  it('a name of digits is found from the address, and the way back from its payment keeps it', async () => {
    const support = await signedIn(tabs.service, { forServiceAs: 'support' }, 'Sani Ibrahim')
    const { accounts } = await tabs.service.merchant({ name: 'Boutique Awa' })
    const name = '20261119001'
    await post(tabs.service, accounts.sandbox.secretKey, order({ transaction_id: name }))
    const tab = await tabs.newTab('fr', support.cookie)
    tab.setDefaultTimeout(15_000)
    await tab.goto(`${tabs.url}/dashboard/console/payments?search=${name}`)
    await tab.locator('a.opener').first().click()
    await tab.locator('a.back').click()
    await tab.waitForURL(/\/console\/payments\?search=/)
    assert.equal(await tab.locator('.filters input').inputValue(), name)
    await tab.locator('a.opener').first().waitFor()
  })
})
