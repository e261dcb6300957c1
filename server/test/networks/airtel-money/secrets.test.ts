// No secret of a connection, and no payer's number, is in anything that the connector says, whatever the network answers.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { AIRTEL_FAULT_TABLE, type AirtelFault } from '../../../../simulators/src/airtel-money/numbers-and-faults.ts'
import { collection, openAirtel, REFERENCE, reversal, settled } from './open-airtel.ts'

const CANARIES = {
  clientId: 'CANARY-CLIENT-ID',
  clientSecret: 'CANARY-CLIENT-SECRET',
  callbackKey: 'CANARY-CALLBACK-KEY',
}
const TOKEN = 'CANARY-TOKEN'
const SAID = /CANARY|97000000/

/** A network that repeats in every field what it was sent: credentials, token, number. */
const echo = (code: number) => {
  const words = `${Object.values(CANARIES).join(' ')} ${TOKEN} 22797000000`
  const status = { code: words, success: false, response_code: words, result_code: words, message: words }
  const transaction = { id: REFERENCE, status: words, message: words, airtel_money_id: words, currency: words }
  return { code, headers: { date: words }, body: { error: words, status_code: words, status, data: { transaction } } }
}

it('a network that repeats our secrets in every field is not quoted', async () => {
  for (const code of [200, 400, 401, 403, 408, 429, 500, 503]) {
    for (const version of [1, 2] as const) {
      const airtel = openAirtel({
        options: { ...CANARIES, version },
        send: async ({ path }) =>
          path === '/auth/oauth2/token' && code !== 400
            ? { code: 200, headers: {}, body: { access_token: TOKEN, expires_in: 180 } }
            : echo(code),
      })
      const { operator, check } = airtel
      const said = await settled(
        airtel,
        Promise.all([
          operator.request(collection()),
          operator.status(REFERENCE),
          operator.refund(reversal('MP1')),
          operator.refundStatus(reversal('MP1')),
          check(),
        ]),
      )
      assert.doesNotMatch(JSON.stringify(said), SAID, `HTTP ${code}, version ${version}`)
    }
  }
})

it('no fault of the simulated network makes the connector tell a secret, or throw', async () => {
  for (const fault of Object.keys(AIRTEL_FAULT_TABLE) as AirtelFault[]) {
    const airtel = openAirtel()
    const { operator, check, clock, on } = airtel
    on(fault)
    const said: unknown[] = [await settled(airtel, operator.request(collection()))]
    await clock.advance(10_000)
    said.push(await settled(airtel, operator.status(REFERENCE)))
    said.push(await settled(airtel, operator.refund(reversal('MP261115.0930.L00001'))))
    said.push(await settled(airtel, operator.refundStatus(reversal('MP261115.0930.L00001'))))
    said.push(await settled(airtel, check()))
    assert.doesNotMatch(JSON.stringify(said), /simulated-airtel|97000000|Bearer/, fault)
    const longest =
      JSON.stringify(said)
        .match(/"why":"[^"]*"/g)
        ?.reduce((most, each) => Math.max(most, each.length), 0) ?? 0
    assert.ok(longest <= 130, fault)
  }
})
