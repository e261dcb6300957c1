// No key, no token and no payer's number in anything that is written down or shown, whatever the network repeats to us.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { FEDAPAY_FAULTS } from '../../../../simulators/src/fedapay/numbers-and-faults.ts'
import { collection, DECIDE_AFTER_MS, openFedapay, REFERENCE, session } from './opened-fedapay.ts'

const CANARIES = ['sk_live_canary-of-the-key-0001', 'wh_live_canary-of-the-hook-0001', '66000001', '6600000']

const SETTINGS = [
  { options: {} },
  { options: { secretKey: CANARIES[0], webhookSecret: CANARIES[1] } },
  { options: { customerEmail: 'awa@boutique.test' } },
]

for (const setting of SETTINGS) {
  it(`nothing secret is told under any fault, with ${Object.keys(setting.options).join(', ') || 'the simulator’s keys'}`, async () => {
    for (const fault of Object.keys(FEDAPAY_FAULTS)) {
      for (const loud of [false, true]) {
        const { connection, hosted, network, clock, run } = openFedapay(setting)
        network.faults.on(fault)
        if (loud) network.faults.on('key_in_errors')
        const { operator } = connection
        const told: unknown[] = [
          await run(operator.request(collection())),
          await run(operator.request(collection({ reference: REFERENCE.replace('0', '1'), amountXof: 0 }))),
          await run(operator.status(REFERENCE)),
          await run(connection.check()),
          await run(hosted.open(session())).then((url) => url === undefined),
          await run(hosted.cancel(REFERENCE)),
        ]
        await clock.advance(DECIDE_AFTER_MS)
        told.push(await run(operator.status(REFERENCE)))
        const text = JSON.stringify(told)
        const secrets = [...CANARIES, ...Object.values(network.credentials), 'awa@boutique.test']
        for (const secret of secrets) assert.ok(!text.includes(secret), `${fault}: ${secret} in ${text}`)
        assert.doesNotMatch(text, /eyJ/, 'a token')
      }
    }
  })
}

it('an answer’s words are cut to a length', async () => {
  const body = { message: 'm m '.repeat(400), errors: { description: [] } }
  const { connection, run } = openFedapay({
    instead: ({ method }) => (method === 'POST' ? { code: 422, headers: {}, body } : undefined),
  })
  const answer = await run(connection.operator.request(collection()))
  assert.ok(answer.is === 'declined' && (answer.code?.length ?? 0) <= 60)
})
