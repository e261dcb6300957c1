// Paying on a provider's page, on a virtual clock and both stores: payers who leave, give up, come back, or pay in the tab they had given up;
// a provider that cannot be reached (D-50).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { WORDS } from '../../src/checkout/words.ts'
import { sentenceOf } from '../../src/wire/refusals.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { byPhone, decide, look, newLink, onPage, pay, SUCCEEDS, send, stateOf, toProvider } from './payer.ts'

const MINUTE = 60_000
const comesBackTo = (link: string): RegExp =>
  new RegExp(`^http://localhost/pay/${link}\\?lang=fr&payer=[0-9a-f]{64}&returned=1$`)
const referenceIn = (providerPath: string): string => providerPath.split('/').at(-1) as string

describe('a payer of a link', () => {
  let service: VirtualService
  let account: NewAccount

  before(async () => {
    service = await openVirtualService(SQLITE)
    account = (await service.merchant()).accounts.sandbox
  })
  after(() => service.remove())

  const makeLink = (change: Record<string, unknown> = {}) => newLink(service, account.secretKey, change)
  const abandon = (link: string) => send(service, `/pay/${link}/abandon`, {})

  /** What the provider has noted: the payer's decision, and whether anything was debited. */
  async function provider(page: string): Promise<[decision: string | null, debits: number]> {
    const [session] = await service.db.rows<{ decision: string | null }>(
      'select decision from simulated_sessions where reference = $1',
      [referenceIn(page)],
    )
    const debits = await service.db.rows('select 1 from simulated_payments where reference = $1', [referenceIn(page)])
    return [session?.decision as string | null, debits.length]
  }

  async function lastAttempt(page: string): Promise<string> {
    const [row] = await service.db.rows<{ status: string; failure_reason: string | null }>(
      'select status, failure_reason from payment_attempts where reference = $1',
      [referenceIn(page)],
    )
    return `${row?.status} ${row?.failure_reason}`
  }

  async function events(): Promise<number> {
    return (await service.db.rows('select event from events')).length
  }

  it('who leaves the provider’s page is waited for ten minutes; then the attempt has failed and the link is open', async () => {
    const link = await makeLink({ shouldExpire: false })
    const told = await events()
    const page = await toProvider(service, link, onPage('bank_card'))
    await service.clock.sleep(10 * MINUTE - 1)
    await service.clock.advance(1)
    assert.equal(await stateOf(service, link), 'waiting:1')
    await service.clock.sleep(30_000)
    await service.clock.advance(1_000)
    assert.deepEqual([await stateOf(service, link), await lastAttempt(page)], ['open:1', 'failed expired'])
    await decide(service, page, 'approve')
    assert.deepEqual(await provider(page), ['cancel', 0], 'nobody can approve what was told to be over')
    assert.equal(await events(), told)
  })

  it('who gives up has the provider close its page, and the link is open at once', async () => {
    const link = await makeLink()
    const page = await toProvider(service, link, onPage('wallet'))
    const { code, goTo } = await abandon(link)
    assert.deepEqual([code, goTo], [303, `/pay/${link}?lang=fr`])
    assert.deepEqual([await stateOf(service, link), await lastAttempt(page)], ['open:1', 'failed cancelled'])
    await decide(service, page, 'approve')
    assert.deepEqual([await stateOf(service, link), ...(await provider(page))], ['open:1', 'cancel', 0])
  })

  it('who gives up after approving in another tab has paid', async () => {
    const link = await makeLink()
    const page = await toProvider(service, link, onPage('bank_card'))
    await decide(service, page, 'approve', false)
    assert.equal(await stateOf(service, link), 'waiting:1')
    await abandon(link)
    assert.deepEqual([await stateOf(service, link), ...(await provider(page))], ['succeeded:0', 'approve', 1])
    await abandon(link)
    assert.equal(await stateOf(service, link), 'succeeded:0')
  })

  it('who gives up and approves in the same moment has paid or not, and the link says which', async () => {
    for (let round = 0; round < 5; round++) {
      const link = await makeLink()
      const page = await toProvider(service, link, onPage('bank_card'))
      const tabs = [() => abandon(link), () => decide(service, page, 'approve')]
      await Promise.all((round % 2 === 0 ? tabs : tabs.reverse()).map((act) => act()))
      const [decision, debits] = await provider(page)
      const expected = decision === 'approve' ? ['succeeded:0', 1] : ['open:1', 0]
      assert.deepEqual([await stateOf(service, link), debits], expected)
    }
  })

  it('who has a prompt on the phone cannot call it back', async () => {
    const link = await makeLink()
    await pay(service, link, byPhone('40410000008'))
    await abandon(link)
    assert.equal(await stateOf(service, link), 'waiting:1')
  })

  it('who gives up while the provider does not answer waits on: nobody knows whether they have paid', async () => {
    const link = await makeLink()
    const page = await toProvider(service, link, onPage('bank_card'))
    service.network.change = () => ({ does: '5xx' })
    await abandon(link)
    assert.equal(await stateOf(service, link), 'waiting:1')
    service.network.change = (reaction) => reaction
    await service.clock.advance(30_000)
    assert.deepEqual([await stateOf(service, link), await lastAttempt(page)], ['open:1', 'failed cancelled'])
  })

  it('who gives up an attempt whose page was never opened, because the service died, may choose again', async () => {
    const link = await makeLink()
    const page = await toProvider(service, link, onPage('bank_card'))
    const reference = page.split('/').at(-1) as string
    await service.db.change('update payment_attempts set provider_url = null where reference = $1', [reference])
    await service.db.change('delete from simulated_sessions where reference = $1', [reference])
    await abandon(link)
    assert.equal(await stateOf(service, link), 'waiting:1', 'it may be being opened just now')
    await service.clock.advance(31_000)
    await abandon(link)
    assert.equal(await stateOf(service, link), 'open:1')
  })

  it('who gives up a page that the provider no longer has may choose again', async () => {
    const link = await makeLink()
    const page = await toProvider(service, link, onPage('bank_card'))
    await service.db.change('delete from simulated_sessions where reference = $1', [referenceIn(page)])
    await service.clock.advance(31_000)
    await abandon(link)
    assert.deepEqual([await stateOf(service, link), await lastAttempt(page)], ['open:1', 'failed cancelled'])
  })

  it('whose merchant is suspended is offered nothing, and pays nothing', async () => {
    const link = await makeLink()
    await service.db.change("update accounts set status = 'suspended' where environment = 'sandbox'")
    await pay(service, link, byPhone(SUCCEEDS))
    const shown = await look(service, `/pay/${link}`)
    await service.db.change("update accounts set status = 'validated' where environment = 'sandbox'")
    assert.ok(shown.text.includes(WORDS.fr.noMethod))
    assert.match(shown.text, /data-state="open:0"/)
  })

  for (const method of ['bank_card', 'wallet'] as const) {
    it(`is told at once that the ${method} provider cannot be reached, and may choose again`, async () => {
      const link = await makeLink()
      for (const language of ['fr', 'en'] as const) {
        const attempt = language === 'fr' ? 0 : 1
        service.network.change = () => ({ does: 'cut' })
        const answer = await pay(service, link, { ...onPage(method, attempt), lang: language })
        service.network.change = (reaction) => reaction
        assert.equal(answer.code, 200)
        assert.match(answer.text, new RegExp(`<html lang="${language}">`))
        assert.ok(answer.text.includes(`role="alert">${sentenceOf({ refused: 'provider_unreachable' }, language)}`))
        assert.match(answer.text, new RegExp(`data-state="open:${attempt + 1}"`))
        assert.match(answer.text, new RegExp(`name="attempt" value="${attempt + 1}"`))
      }
      await pay(service, link, byPhone(SUCCEEDS, 2))
      await service.clock.advance(5_000)
      assert.equal(await stateOf(service, link), 'succeeded:0')
    })
  }

  it('waits with everybody else while the provider hangs, and is told when its time is over', async () => {
    const link = await makeLink()
    service.network.change = () => ({ does: 'hang' })
    const answering = pay(service, link, onPage('bank_card'))
    await service.clock.advance(9_000)
    assert.equal(await stateOf(service, link), 'waiting:1')
    await pay(service, link, byPhone(SUCCEEDS, 0))
    await pay(service, link, byPhone(SUCCEEDS, 1))
    assert.equal(await stateOf(service, link), 'waiting:1')
    await service.clock.advance(1_000)
    const { code, text } = await answering
    service.network.change = (reaction) => reaction
    assert.equal(code, 200)
    assert.match(text, /data-state="open:1"/)
  })

  for (const [decision, state] of [
    ['approve', 'succeeded:0'],
    ['decline', 'open:1'],
  ] as const) {
    it(`who comes back from the provider after they ${decision} finds the link settled, though no time has passed`, async () => {
      const link = await makeLink()
      const page = await toProvider(service, link, onPage('wallet'))
      const { goTo } = await send(service, page, { decision })
      assert.match(goTo, comesBackTo(link))
      const { code, goTo: then } = await look(service, `/pay/${link}?returned=1`)
      assert.deepEqual([code, then], [303, `/pay/${link}?lang=fr`])
      assert.match((await look(service, then)).text, new RegExp(`data-state="${state}"`))
    })
  }

  it('who says to be back when there is nothing to ask makes us ask nobody', async () => {
    const paid = await makeLink()
    await decide(service, await toProvider(service, paid, onPage('wallet')), 'approve')
    const onThePhone = await makeLink()
    await pay(service, onThePhone, byPhone('40410000008'))
    await service.clock.advance(0)
    const asked = service.calls.status.length
    for (const link of [await makeLink(), paid, onThePhone]) {
      assert.equal((await look(service, `/pay/${link}?returned=1`)).code, 200)
    }
    assert.equal(service.calls.status.length, asked)
  })

  it('who comes back while the provider does not answer sees the page wait, and later the outcome', async () => {
    const link = await makeLink()
    const page = await toProvider(service, link, onPage('bank_card'))
    service.network.change = () => ({ does: 'cut' })
    await decide(service, page, 'approve')
    assert.equal(await stateOf(service, link), 'waiting:1')
    service.network.change = (reaction) => reaction
    await service.clock.advance(30_000)
    assert.equal(await stateOf(service, link), 'succeeded:0')
  })

  it('finds the way to the provider again on the link’s page, and the provider sends whoever has decided back', async () => {
    const link = await makeLink()
    const page = await toProvider(service, link, onPage('bank_card'))
    const { text } = await look(service, `/pay/${link}`)
    assert.ok(text.includes(`href="http://localhost${page}"`))
    assert.equal((await look(service, page)).code, 200)
    await decide(service, page, 'approve')
    assert.match((await look(service, page)).goTo, comesBackTo(link))
    await decide(service, page, 'decline')
    assert.deepEqual([await stateOf(service, link), ...(await provider(page))], ['succeeded:0', 'approve', 1])
  })

  it('leaves nothing for a person to look at', async () => {
    assert.deepEqual(await service.db.rows('select kind from payment_anomalies'), [])
  })
})
