// Refunds at a network that takes up to a minute to answer, longer than any call waits, while two processes look for what is due: the network
// gets one request for each.
import assert from 'node:assert/strict'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { type CrashingService, openCrashingService, openSurroundings } from '../kit/crashing-service.ts'
import { newMerchant } from '../kit/merchant.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { order, post } from '../kit/service.ts'

const SEED = 20_261_115
const SUCCEEDS_AT_ONCE = '40410000100'
const LONGEST_ANSWER_MS = 60_000
/** Each takes a call's deadline, at one process, and is then asked about. */
const PATIENCE_MS = 60_000

export async function runSlowRefunds(count: number): Promise<void> {
  const around = await openSurroundings({ isShared: true })
  const random = seededRandom(SEED)
  const requests = new Map<string, number>()
  const open = (): Promise<CrashingService> =>
    openCrashingService(
      {
        random: random.fork(),
        line: async ({ kind, reference }, make) => {
          const reaction = await make()
          if (kind !== 'refund') return reaction
          requests.set(reference, (requests.get(reference) ?? 0) + 1)
          return { ...reaction, afterMs: random.between(1, LONGEST_ANSWER_MS) }
        },
      },
      around,
    )
  const [first, second] = [await open(), await open()]
  try {
    const { service } = first
    const { secretKey } = (await newMerchant(service)).accounts.sandbox
    const names: string[] = []
    for (let n = 0; n < count; n++) {
      const { body } = await post(service, secretKey, order({ msisdn: SUCCEEDS_AT_ONCE }))
      names.push(body.reference as string)
    }
    await around.clock.advance(10_000)
    const refunds: string[] = []
    for (const name of names) refunds.push(granted(await refundPayment(service, TESTER, { name })).refundReference)
    const left = () => service.db.rows(`select reference from payments where status <> 'refunded'`)
    for (let passedMs = 0; (await left()).length > 0; passedMs += 10_000) {
      assert.ok(passedMs < count * PATIENCE_MS, 'every refund is done')
      await around.clock.advance(10_000)
    }
    assert.deepEqual(
      refunds.filter((refund) => requests.get(refund) !== 1),
      [],
    )
  } finally {
    await first.close()
    await second.close()
    await around.close()
  }
}
