// An operator that does not answer, on a virtual clock: creates do not feel it, it is left alone and not hammered, /metrics says so and since
// when, and when it is back everything goes on by itself.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { order, post } from '../kit/service.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const DOWN_FOR_MS = 10 * 60_000
/** As many creates as come in while it is down, evenly. */
const PAYMENTS = 100
const AIRTEL = '96123456'

let service: VirtualService
let secretKey: string
let downSince: number

before(async () => {
  service = await openVirtualService()
  secretKey = (await service.merchant()).accounts.sandbox.secretKey
  service.network.change = () => ({ does: 'hang' })
  downSince = service.clock.now()
})
after(() => service.remove())

async function metric(name: string, operator = 'airtel_ne'): Promise<number> {
  const { body } = await service.app.inject({ url: '/metrics' })
  const [, value] =
    new RegExp(`^${name}\\{environment="sandbox",connection="${operator}"\\} (\\S+)$`, 'm').exec(body) ?? []
  return Number(value)
}

const callsMade = (): number => service.calls.request.length + service.calls.status.length

it('takes creates as ever while an operator is down, and calls it now and then', async () => {
  for (let made = 0; made < PAYMENTS; made++) {
    const { code } = await post(service, secretKey, order({ msisdn: AIRTEL }))
    assert.equal(code, 200)
    await service.clock.advance(DOWN_FOR_MS / PAYMENTS)
  }
  // Ten silences until it counts as down, those that were under way then, and a call every 15 seconds and its deadline.
  assert.ok(callsMade() >= 10 + 20 && callsMade() <= 10 + 40 + 60, `${callsMade()} calls`)
})

it('says in /metrics that it is down, and since when', async () => {
  assert.equal(await metric('karba_operator_up'), 0)
  const since = (await metric('karba_operator_since_seconds')) * 1_000
  assert.ok(since > downSince && since < downSince + DOWN_FOR_MS / 2)
  assert.equal(await metric('karba_operator_up', 'moov_ne'), 1)
})

it('brings every payment to its outcome when it is back', async () => {
  service.network.change = (reaction) => reaction
  await service.clock.advance(20 * 60_000)
  assert.equal(await metric('karba_operator_up'), 1)
  const rows = await service.db.rows<{ n: number }>(`select count(*) as n from payments where status = 'pending'`)
  assert.equal(rows[0]?.n, 0)
  // Whoever was debited has paid: the network's books and ours say the same.
  const [books] = await service.db.rows<{ debited: number; succeeded: number }>(
    `select (select count(*) from simulated_payments) as debited,
       (select count(*) from payments where status = 'succeeded') as succeeded`,
  )
  assert.equal(books?.debited, books?.succeeded)
})
