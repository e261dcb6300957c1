// FedaPay's page, for cards and wallets: opened once, paid or left, and cancelled as far as FedaPay lets us.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readToken } from '../../../src/operators/connectors/fedapay/wire.ts'
import { openFedapay, REFERENCE, session } from './opened-fedapay.ts'

const tokenOf = (url: string | undefined): string => new URL(url ?? '').pathname

describe('the hosted page', () => {
  it('is opened for a transaction that knows where the payer comes back to', async () => {
    const { hosted, connection, calls, network, run } = openFedapay()
    const url = await run(hosted.open(session()))
    assert.match(url ?? '', /^https:\/\/process\.fedapay\.test\/process\/ey/)
    assert.deepEqual(JSON.parse(calls[0]?.body ?? ''), {
      description: 'Boutique Awa: Commande 12',
      amount: 2_500,
      currency: { iso: 'XOF' },
      merchant_reference: REFERENCE,
      callback_url: 'https://karba.test/pay/abc',
    })
    for (const { status } of [hosted, connection.operator]) {
      assert.deepEqual(await run(status(REFERENCE)), { is: 'accepted' })
    }
    assert.deepEqual(await run(hosted.request({ ...session(), operator: 'bank_card', msisdn: '', networkId: null })), {
      is: 'accepted',
    })
    assert.equal(network.books()[0]?.debits, 0)
  })

  it('has an address that a Location header can carry, or none', () => {
    const urlOf = (url: unknown): string | undefined => readToken({ token: 'ey', url })?.url
    assert.equal(
      urlOf('https://p.example/a\r\nSet-Cookie: x\0é€'),
      'https://p.example/aSet-Cookie:%20x%00%C3%A9%E2%82%AC',
    )
    for (const none of ['javascript:alert(1)', 'data:text/html,x', '//p.example', '/p', 'https://', '', 1, null]) {
      assert.equal(urlOf(none), undefined)
    }
  })

  it('that is opened twice is the same page', async () => {
    const { hosted, network, run } = openFedapay()
    const first = await run(hosted.open(session()))
    assert.equal(await run(hosted.open(session())), first)
    assert.equal(network.books().length, 1)
  })

  it('shows what is to be paid, takes the payer’s decision, and sends the browser back', async () => {
    const { hosted, network, run } = openFedapay()
    const path = tokenOf(await run(hosted.open(session())))
    const query = new URLSearchParams()
    const page = network.handle({ method: 'GET', path, query, headers: {}, body: '' })
    assert.match('body' in page ? String(page.body) : '', /Boutique Awa: Commande 12.*2500 F CFA/s)
    const back = network.handle({ method: 'POST', path, query, headers: {}, body: 'decision=approve' })
    const id = network.books()[0]?.id ?? ''
    assert.deepEqual(back, { code: 303, headers: { location: `https://karba.test/pay/abc?id=${id}&status=approved` } })
    assert.equal((await run(hosted.status(REFERENCE))).is, 'succeeded')
    assert.equal(network.books()[0]?.debits, 1)
  })

  it('can be paid after a card was refused there, and is under way until then', async () => {
    const { hosted, connection, network, run } = openFedapay()
    await run(hosted.open(session()))
    const id = network.books()[0]?.id ?? ''
    assert.ok(network.decide(id, 'decline'))
    for (const { status } of [hosted, connection.operator]) {
      assert.deepEqual(await run(status(REFERENCE)), { is: 'accepted', code: 'declined' })
    }
    assert.ok(network.decide(id, 'approve'))
    assert.equal((await run(hosted.status(REFERENCE))).is, 'succeeded')
    assert.equal(network.decide(id, 'approve'), false)
  })

  for (const fault of ['unavailable', 'key_refused', 'create_cut', 'token_cut']) {
    it(`has no address when FedaPay gives none (${fault})`, async () => {
      const { hosted, network, run } = openFedapay()
      network.faults.on(fault, 1)
      if (fault === 'unavailable' || fault === 'key_refused') network.faults.on(fault)
      assert.equal(await run(hosted.open(session())), undefined)
    })
  }

  it('has no address when FedaPay’s is none', async () => {
    for (const url of ['javascript:alert(1)', 'not an address', 7]) {
      const body = { token: 't', url }
      const { hosted, run } = openFedapay({
        instead: ({ path }) => (path.endsWith('/token') ? { code: 200, headers: {}, body } : undefined),
      })
      assert.equal(await run(hosted.open(session())), undefined)
    }
  })
})

describe('a page whose payer gives up', () => {
  it('is deleted when nobody tried to pay there, and can no longer be paid', async () => {
    const { hosted, network, run } = openFedapay()
    const path = tokenOf(await run(hosted.open(session())))
    const answer = await run(hosted.cancel(REFERENCE))
    assert.deepEqual(answer, { is: 'declined', reason: 'cancelled', mayChange: true, code: 'deleted' })
    const page = network.handle({ method: 'GET', path, query: new URLSearchParams(), headers: {}, body: '' })
    assert.equal('code' in page && page.code, 404)
    assert.equal(network.books()[0]?.status, 'deleted')
  })

  it('is not deleted while somebody is trying to pay: what is under way is told', async () => {
    const { hosted, network, run } = openFedapay()
    await run(hosted.open(session()))
    network.decide(REFERENCE, 'ignore')
    assert.deepEqual(await run(hosted.cancel(REFERENCE)), { is: 'accepted' })
    assert.equal(network.books()[0]?.status, 'pending')
  })

  it('is declined when no card was taken there', async () => {
    const { hosted, network, run } = openFedapay()
    await run(hosted.open(session()))
    network.decide(REFERENCE, 'decline')
    assert.partialDeepStrictEqual(await run(hosted.cancel(REFERENCE)), { is: 'declined', mayChange: true })
    assert.equal(network.books()[0]?.status, 'declined')
  })

  it('is deleted although nobody heard so', async () => {
    const { hosted, network, run } = openFedapay({ lost: ({ method }) => method === 'DELETE' })
    await run(hosted.open(session()))
    assert.partialDeepStrictEqual(await run(hosted.cancel(REFERENCE)), { is: 'declined', code: 'deleted' })
    assert.equal(network.books()[0]?.status, 'deleted')
  })

  it('that was paid meanwhile has succeeded', async () => {
    const { hosted, network, run } = openFedapay()
    await run(hosted.open(session()))
    network.decide(REFERENCE, 'approve')
    assert.equal((await run(hosted.cancel(REFERENCE))).is, 'succeeded')
  })

  it('that was never opened is not known', async () => {
    const { hosted, run } = openFedapay()
    assert.deepEqual(await run(hosted.cancel(REFERENCE)), { is: 'not_known' })
  })

  it('stays as it is when an option says so', async () => {
    const { hosted, network, run } = openFedapay({ options: { cancelByDelete: false } })
    await run(hosted.open(session()))
    assert.deepEqual(await run(hosted.cancel(REFERENCE)), { is: 'accepted' })
    assert.equal(network.books()[0]?.status, 'pending')
  })
})
