// The clock of the store is set while merchants create payments: each payment is sent once, or ends soon as never received.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { followStore } from '../../src/service/store-clock.ts'
import { head, order } from '../kit/service.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const STEPS: [name: string, ms: number][] = [
  ['16 minutes ahead', 16 * MINUTE],
  ['2 hours ahead', 2 * HOUR],
  ['a day ahead', 24 * HOUR],
  ['16 minutes back', -16 * MINUTE],
  ['2 hours back', -2 * HOUR],
]
/** Claims end first, by the time that passes. */
const SETTLED_WITHIN_MS = 2 * MINUTE

interface Stepped {
  service: VirtualService
  /** Of the machine, and of the store that runs on it. */
  clock: { aheadMs: number }
  /** Creates so many; their references. */
  create(count: number, change?: Record<string, unknown>): Promise<string[]>
  statusesOf(references: readonly string[]): Promise<string[]>
}

async function openStepped(): Promise<Stepped> {
  const clock = { aheadMs: 0 }
  const service = await openVirtualService(
    undefined,
    {},
    {
      clockFrom: (truth) => {
        const machine = { ...truth, now: () => truth.now() + clock.aheadMs }
        return followStore(machine, async () => machine.now())
      },
    },
  )
  const { secretKey } = (await service.merchant()).accounts.sandbox
  const headers = head(secretKey)
  const url = '/api/v1/payments'
  return {
    service,
    clock,
    async create(count, change) {
      const made = Array.from({ length: count }, async () => {
        const answer = await service.app.inject({
          method: 'POST',
          url,
          headers,
          payload: JSON.stringify(order(change)),
        })
        assert.equal(answer.statusCode, 200)
        return answer.json().reference as string
      })
      return Promise.all(made)
    },
    statusesOf: (references) =>
      Promise.all(
        references.map(async (reference) => {
          const answer = await service.app.inject({ method: 'GET', url: `${url}/${reference}`, headers })
          return answer.json().status as string
        }),
      ),
  }
}

describe('a clock that is set', () => {
  let stepped: Stepped
  before(async () => {
    stepped = await openStepped()
  })
  after(() => stepped.service.remove())

  async function assertSentOnce(references: readonly string[]): Promise<void> {
    const { service, statusesOf } = stepped
    const sent = references.map((each) => service.calls.request.filter((reference) => reference === each).length)
    const all = <T>(value: T): T[] => references.map(() => value)
    assert.deepEqual([sent, await statusesOf(references)], [all(1), all('succeeded')])
  }

  for (const [name, ms] of STEPS) {
    it(`${name}: payments created around the step are sent once and settle`, async () => {
      const { service, clock, create } = stepped
      await service.clock.advance(4_000)
      const references = await create(3)
      clock.aheadMs += ms
      references.push(...(await create(3)))
      for (let second = 0; second < 8; second++) {
        await service.clock.advance(1_000)
        references.push(...(await create(1)))
      }
      await service.clock.advance(SETTLED_WITHIN_MS)
      await assertSentOnce(references)
    })
  }

  it('ahead and soon back again: what was claimed in between is sent once and settles', async () => {
    const { service, clock, create } = stepped
    const references = await create(2)
    for (const ms of [2 * HOUR, -2 * HOUR]) {
      clock.aheadMs += ms
      await service.clock.advance(6_000)
      references.push(...(await create(2)))
    }
    await service.clock.advance(SETTLED_WITHIN_MS)
    await assertSentOnce(references)
  })

  it('ahead while a request is on its way: the payment is not sent again, although its claim seems to have ended', async () => {
    const { service, clock, create } = stepped
    const { change } = service.network
    // The network does not answer the request, calls nobody back, and does not find the payment for a while.
    service.network.change = () => ({ does: 'hang' })
    const references = await create(1, { msisdn: '40410000102' })
    await service.clock.advance(100)
    clock.aheadMs += MINUTE
    service.network.change = () => ({ answer: { status: 'not_known' } })
    await service.clock.advance(8_000)
    service.network.change = change
    await service.clock.advance(SETTLED_WITHIN_MS)
    await assertSentOnce(references)
  })
})
