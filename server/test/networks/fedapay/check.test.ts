// What `karba operators check` says about a connection to FedaPay.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CheckLine } from '../../../src/operators/connector.ts'
import { collection, type FedapaySetting, openFedapay } from './opened-fedapay.ts'

async function checked(setting: FedapaySetting = {}, ...faults: string[]): Promise<CheckLine[]> {
  const { connection, network, run } = openFedapay({ environment: 'sandbox', ...setting })
  await run(connection.operator.request(collection()))
  for (const fault of faults) network.faults.on(fault)
  return run(connection.check())
}

const wrongOf = (lines: CheckLine[]): string[] => lines.filter(({ is }) => is !== 'right').map(({ mend }) => mend ?? '')

describe('the check of a connection to FedaPay', () => {
  it('finds nothing to mend where everything is right', async () => {
    const lines = await checked()
    assert.deepEqual(wrongOf(lines), [])
    assert.equal(lines.length, 8)
  })

  const WRONG: [about: string, setting: FedapaySetting, faults: string[], mend: RegExp][] = [
    ['a key that is refused', {}, ['key_refused'], /copy the secret key.*HTTP 401/],
    ['a gateway that blocks us', {}, ['gateway_page'], /HTTP 403 and no JSON/],
    ['an outage', {}, ['unavailable'], /could not be asked.*HTTP 503/],
    ['a key of the other environment', { environment: 'live' }, [], /begins with sk_live_/],
    ['a public key', { options: { secretKey: 'pk_sandbox_simulated-public-key' } }, [], /begins with sk_sandbox_/],
    [
      'look-ups by our reference that find nothing',
      {},
      ['no_route_by_reference'],
      /no route GET.*merchant.*followed by/,
    ],
    ['look-ups that find nothing at all', {}, ['not_found'], /lists a transaction that GET/],
    ['a clock that is off', {}, ['clock_behind'], /by 600 s/],
    ['another number for XOF', { options: { xofCurrencyId: 9 } }, [], /set xofCurrencyId to 1/],
    ['no public address', { callbackUrl: null }, [], /public https address/],
    ['a public address without https', { callbackUrl: 'http://karba.test/x' }, [], /public https address/],
    [
      'no webhook for it',
      { simulator: { webhookUrl: 'https://other.test' } },
      [],
      /create one for https:\/\/karba\.test/,
    ],
    ['no secret for the webhook', { options: { webhookSecret: undefined } }, [], /set webhookSecret/],
  ]
  for (const [about, setting, faults, mend] of WRONG) {
    it(`says what to mend about ${about}`, async () => {
      assert.match(wrongOf(await checked(setting, ...faults)).join('\n'), mend)
    })
  }

  it('cannot tell about look-ups before the account has a transaction, unless the route is missing', async () => {
    const fresh = openFedapay({ environment: 'sandbox' })
    const unsure = (await fresh.run(fresh.connection.check())).filter(({ is }) => is === 'not_known')
    assert.deepEqual(
      unsure.map(({ about }) => about),
      ['transactions are found by FedaPay’s id', 'transactions are found by our reference'],
    )
    const { connection, run } = openFedapay({
      environment: 'sandbox',
      instead: ({ path }) =>
        path.includes('/merchant/') ? { code: 404, headers: {}, body: { status: 404, error: 'Not Found' } } : undefined,
    })
    assert.match(wrongOf(await run(connection.check())).join(), /has no route GET/)
  })

  it('says that FedaPay has switched the webhook off', async () => {
    const { connection, network, run } = openFedapay({ environment: 'sandbox' })
    const headers = { authorization: `Bearer ${network.credentials.secretKey}` }
    const body = '{"enabled":false}'
    network.handle({ method: 'PUT', path: '/v1/webhooks/1', query: new URLSearchParams(), headers, body })
    assert.match(wrongOf(await run(connection.check())).join(), /switched it off/)
  })
})
