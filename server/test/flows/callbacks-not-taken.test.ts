// Nobody polls a payment that has ended, so a callback about it may be the only word of money that moved late: it is answered with 200 only once it
// is taken, and a network whose callback was not taken says it again.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { StoreUnavailable } from '../../src/store/engine/database.ts'
import { type CrashingService, openCrashingService } from '../kit/crashing-service.ts'
import { sendCallback } from '../kit/direct-operators.ts'
import { newMerchant } from '../kit/merchant.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { order, post } from '../kit/service.ts'

const DECLINED = '40410000006'
const SEED = 20_261_116
const MINUTE_MS = 60_000

let crashing: CrashingService
let reference: string

before(async () => {
  crashing = await openCrashingService({ random: seededRandom(SEED) })
  const { service, clock } = crashing
  const { secretKey } = (await newMerchant(service)).accounts.sandbox
  const created = await clock.advanceUntil('payment', post(service, secretKey, order({ msisdn: DECLINED })))
  reference = created.body.reference as string
  await clock.advance(MINUTE_MS)
})
after(() => crashing.close())

async function callBack(): Promise<number> {
  const { service, clock } = crashing
  const answer = { status: 'succeeded', amount: 1_500, operator_reference: 'SIM-LATE' } as const
  const sent = sendCallback(service, { reference, answer, genuine: true }, 'sandbox/airtel_ne')
  return (await clock.advanceUntil('answer to the callback', Promise.resolve(sent))).statusCode
}

const rechecks = async (): Promise<unknown[]> =>
  crashing.service.db.rows('select request_reference from rechecks where request_reference = $1', [reference])

for (const [about, afterMs] of [
  ['at once', 0],
  ['after a silence', 5_000],
] as const) {
  it(`a callback that the store fails to take ${about} is answered with 503, and taken when it comes again`, async () => {
    const { process, clock } = crashing
    const error = new StoreUnavailable('the connection was refused')
    process.storeFault = (during) => (during === 'read' ? { error, isDone: false, afterMs } : undefined)
    assert.equal(await callBack(), 503)
    await clock.advance(MINUTE_MS / 6)
    process.storeFault = () => undefined
    assert.equal(await callBack(), 200)
    await clock.advance(MINUTE_MS)
    assert.deepEqual(await rechecks(), [], 'the network was asked, and stands by its word')
  })
}
