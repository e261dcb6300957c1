// Every row of the sandbox's table, played from the create to the end on a virtual clock: its outcome, its one event, and how
// the service came to know (D-15, D-20).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { SCENARIOS, type Scenario } from '../../src/simulator/scenarios.ts'
import { listStory, type StoryEntry } from '../../src/store/payments/payment-moves.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { get, order, post } from '../kit/service.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const DELAY_MS = 2_000
/** Longer than the longest scenario. */
const ALL_MS = 1_100_000

interface Played {
  reference: string
  createdAt: number
  body: Record<string, unknown>
  story: StoryEntry[]
  events: { event: string; payload: string }[]
}

describe('a payment from each test number', () => {
  let service: VirtualService
  let merchant: NewMerchant
  const played = new Map<string, Played>()

  before(async () => {
    service = await openVirtualService()
    merchant = await service.merchant()
    const { secretKey } = merchant.accounts.sandbox
    const created = new Map<string, { reference: string; createdAt: number }>()
    for (const { msisdn } of SCENARIOS) {
      const answer = await post(service, secretKey, order({ msisdn }))
      assert.equal(answer.body.status, 'pending')
      created.set(msisdn, { reference: answer.body.reference as string, createdAt: service.clock.now() })
    }
    await service.clock.advance(ALL_MS)
    for (const [msisdn, { reference, createdAt }] of created) {
      const { body } = await get(service, secretKey, reference)
      const { accountId, number } = await paymentOf(service, reference)
      const story = await listStory(service.db, accountId, number)
      const events = await service.db.rows<{ event: string; payload: string }>(
        'select event, payload from events where account_id = $1 and number = $2',
        [accountId, number],
      )
      played.set(msisdn, { reference, createdAt, body, story, events })
    }
  })
  after(() => service.remove())

  for (const scenario of SCENARIOS) {
    const { msisdn, name, ending } = scenario
    it(`${msisdn}, ${name}: ends as ${ending}`, (t) => {
      const { reference, createdAt, body, story, events } = played.get(msisdn) as Played
      t.diagnostic(story.map((entry) => timeline(entry, createdAt)).join(' → '))
      const status = ending === 'succeeded' || ending === 'refunded' ? ending : 'failed'
      assert.equal(body.status, status)
      assert.equal(body.failure_reason, status === 'failed' ? ending : undefined)
      assert.equal('validated_at' in body, status === 'succeeded')

      const moves = story.filter(({ kind }) => kind === 'moved')
      assert.deepEqual(
        moves.map(({ detail }) => detail.to),
        [status],
      )
      assert.deepEqual(
        events.map(({ event }) => event),
        [`payment.${status}`],
      )
      const event = JSON.parse((events[0] as { payload: string }).payload)
      assert.deepEqual(event.data, { ...body, ...(status === 'refunded' && { status }) })

      assert.deepEqual(
        service.calls.request.filter((asked) => asked === reference),
        [reference],
        'it was handed over once',
      )
      const settledAfter = (moves[0] as StoryEntry).at - createdAt
      const [earliest, latest] = window(scenario)
      assert.ok(settledAfter >= earliest && settledAfter <= latest, `${settledAfter} in ${earliest} to ${latest} ms`)
    })
  }

  it('numbers the events of the account without a gap', async () => {
    const rows = await service.db.rows<{ sequence: number }>('select sequence from events order by sequence')
    assert.deepEqual(
      rows.map(({ sequence }) => sequence),
      SCENARIOS.map((_, at) => at + 1),
    )
  })

  it('leaves nothing due and no anomaly', async () => {
    assert.deepEqual(await service.db.rows('select reference from payments where due_at is not null'), [])
    assert.deepEqual(await service.db.rows('select kind from payment_anomalies'), [])
  })
})

for (const awaySeconds of [5, 60, 1_800]) {
  it(`promise 5: operator times out after debiting, for ${awaySeconds} s: stays pending, never failed, settles within 60 s of the operator answering again`, async () => {
    const service = await openVirtualService()
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const statusNow = async (reference: string) => (await get(service, secretKey, reference)).body.status
    service.network.change = () => ({ does: 'hang' })
    const { reference } = (await post(service, secretKey, order())).body as { reference: string }
    for (let fifth = 0; fifth < 5; fifth++) {
      await service.clock.advance(awaySeconds * 200)
      assert.equal(await statusNow(reference), 'pending')
    }
    assert.equal((await service.db.rows('select reference from simulated_payments')).length, 1, 'it was debited')
    service.network.change = (reaction) => reaction
    await service.clock.advance(60_000)
    assert.equal(await statusNow(reference), 'succeeded')
    assert.deepEqual(service.calls.request, [reference])
    const events = await service.db.rows<{ event: string }>('select event from events')
    assert.deepEqual(
      events.map(({ event }) => event),
      ['payment.succeeded'],
    )
    await service.remove()
  })
}

/** When it may be settled: not before the network has decided, and within a minute of its answering again (promise 5). */
function window({ ending, decides = { delays: 1 }, status, request }: Scenario): [earliest: number, latest: number] {
  if (ending === 'never_received') return [900_000, 960_000]
  const decidedAt = 'seconds' in decides ? decides.seconds * 1_000 : decides.delays * DELAY_MS
  const answersFrom = Math.max(decidedAt, (status?.forSeconds ?? 0) * 1_000, request === undefined ? 0 : 10_000)
  return [decidedAt, answersFrom + 60_000]
}

function timeline({ at, kind, detail }: StoryEntry, createdAt: number): string {
  return `${((at - createdAt) / 1_000).toFixed(1)} s ${kind} ${String(detail.is ?? detail.to)}`
}
