// What `karba operators check` says about a connection to Airtel.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { CheckLine } from '../../../src/operators/connector.ts'
import { openAirtel, settled } from './open-airtel.ts'

const CALLBACK: CheckLine = {
  is: 'not_known',
  about: 'callback address: the portal must have https://karba.example/operators/sandbox/airtel-money-test/callback',
}

it('a connection that works has its token, its balance and its clock right', async () => {
  const { check } = openAirtel()
  assert.deepEqual(await check(), [
    { is: 'right', about: 'access token' },
    { is: 'right', about: 'balance: 37600 XOF' },
    { is: 'right', about: 'clock' },
    CALLBACK,
  ])
})

it('a balance that comes with success false is a balance', async () => {
  const { check, on } = openAirtel()
  on('balance_success_is_false')
  assert.equal((await check())[1]?.is, 'right')
})

it('the key for signing is looked at in version 2', async () => {
  const { check } = openAirtel({ options: { version: 2 } })
  assert.deepEqual((await check()).at(-2), { is: 'right', about: 'key for signing messages' })
})

it('each fault has its line, which says what to mend', async () => {
  const wrong: [about: string, opened: ReturnType<typeof openAirtel>, line: RegExp, mend: RegExp][] = []
  const add = (about: string, opened: ReturnType<typeof openAirtel>, line: RegExp, mend: RegExp): void => {
    wrong.push([about, opened, line, mend])
  }
  add('a wrong secret', openAirtel({ options: { clientSecret: 'another' } }), /invalid_client/, /clientSecret/)
  add('no callback address', openAirtel({ callbackUrl: undefined }), /callback address: none/, /portal/)
  add('no https', openAirtel({ callbackUrl: 'http://karba.example/' }), /is not https/, /https/)
  const off = openAirtel()
  off.on('clock_is_off')
  add('a clock that is off', off, /clock: 600 s/, /time server/)
  const refused = openAirtel()
  refused.on('address_not_allowed')
  add('an address that is not allowed', refused, /HTTP 403/, /address is on its list/)
  const country = openAirtel({ options: { country: 'TD' } })
  add('a country of somebody else', country, /ROUTER007/, /approved for TD/)
  for (const [about, { check }, line, mend] of wrong) {
    const found = (await check()).find(({ is }) => is === 'wrong')
    assert.match(found?.about ?? '', line, about)
    assert.match(found?.mend ?? '', mend, about)
  }
})

it('a network that is away leaves the question open', async () => {
  const airtel = openAirtel({ send: async () => ({ failed: 'no answer: ECONNREFUSED', neverLeft: true }) })
  assert.deepEqual(await settled(airtel, airtel.check()), [
    { is: 'not_known', about: 'access token and balance: no access token: no answer: ECONNREFUSED' },
    CALLBACK,
  ])
})
