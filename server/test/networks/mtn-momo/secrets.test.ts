// No credential of a connection to MTN MoMo gets into an answer, a check or an error, also when the network repeats it to us.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { mtnMomo } from '../../../src/operators/connectors/mtn-momo/connector.ts'
import type { CallResult } from '../../../src/operators/http-call.ts'
import { seededRandom } from '../../kit/seeded-random.ts'
import { virtualClock } from '../../kit/virtual-clock.ts'
import { openMtn, optionsFor, order, reversalOf } from './open-mtn.ts'

const CANARIES = ['canary1key', 'canary2user', 'canary3secret', 'canary4key', 'canary5user', 'canary6secret'] as const
const [subscriptionKey, apiUser, apiKey, ...rest] = CANARIES
const PAYER = '2290197123456'

/** A network that repeats all that it was sent, in every place of its answers. */
function tellTale(code: number, hasToken: boolean) {
  const clock = virtualClock()
  const { network } = openMtn()
  const send = async (call: { headers: Record<string, string>; body?: string; path: string }): Promise<CallResult> => {
    const echo = `${Object.values(call.headers).join(' ')} ${CANARIES.join(' ')} ${call.body}`
    const text = { code: echo, message: echo, error: echo, status: echo, reason: echo, currency: echo, amount: echo }
    if (hasToken && call.path.endsWith('/token/')) {
      return { code: 200, headers: {}, body: { access_token: 'canary7token', expires_in: 3600 } }
    }
    return { code, headers: { date: echo }, body: code === 502 ? `<html>${echo}</html>` : text }
  }
  const disbursement = { subscriptionKey: rest[0], apiUser: rest[1], apiKey: rest[2] }
  return mtnMomo.connect(
    {
      name: 'mtn',
      environment: 'live',
      send,
      clock,
      random: seededRandom(1),
      callbackUrl: () => 'https://a.example/',
      deadlineMs: 10_000,
    },
    optionsFor(network, { subscriptionKey, apiUser, apiKey, disbursement }),
  )
}

for (const code of [200, 202, 400, 401, 403, 404, 409, 429, 500, 502]) {
  for (const hasToken of [true, false]) {
    it(`an answer ${code} that repeats our credentials${hasToken ? '' : ' to the token call'} leaks none of them`, async () => {
      const { operator, check } = tellTale(code, hasToken)
      const collection = order({ msisdn: PAYER })
      const reversal = reversalOf(collection)
      const answers = [
        await operator.request(collection),
        await operator.status(collection.reference),
        await operator.refund(reversal),
        await operator.refundStatus(reversal),
        await check(),
      ]
      const text = JSON.stringify(answers)
      for (const secret of [...CANARIES, 'canary', btoa(`${apiUser}:${apiKey}`), PAYER]) {
        assert.ok(!text.includes(secret), `${secret} in ${text}`)
      }
      assert.ok(answers.flat().every((each) => !('why' in each) || each.why.length <= 120))
    })
  }
}

it('options that are refused do not show the credentials', () => {
  const { network } = openMtn()
  assert.throws(
    () => optionsFor(network, { apiKey: 'canary', currency: 'francs' }),
    (error) => error instanceof Error && !error.message.includes('canary'),
  )
})
