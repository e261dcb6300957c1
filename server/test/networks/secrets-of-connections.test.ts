// No secret of a connection is anywhere but on the line to its network: not in logs, answers, metrics, stories or any table. Each network is made to
// succeed, to refuse our credentials, to answer with a page, and to be asked for a refund.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { WireRequest } from '../../../simulators/src/network.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { makeLog } from '../../src/observability/log.ts'
import { TESTER } from '../kit/callers.ts'
import { get, order, post } from '../kit/service.ts'
import { AIRTEL_UNDER_TEST } from './airtel-money/faults.ts'
import { FEDAPAY_UNDER_TEST } from './fedapay/faults.ts'
import { MTN_UNDER_TEST } from './mtn-momo/faults.ts'
import { type NetworkUnderTest, openServiceOnNetwork, type ServiceOnNetwork } from './network-under-test.ts'
import { PAWAPAY_UNDER_TEST } from './pawapay/faults.ts'

const MINUTE_MS = 60_000
/** What a client sends to show who it is. */
const SECRET_HEADERS = ['authorization', 'ocp-apim-subscription-key', 'x-key', 'x-signature']
/** Shorter ones are words: mtnbenin, XOF. */
const SHORTEST_SECRET = 12

for (const underTest of [
  MTN_UNDER_TEST,
  AIRTEL_UNDER_TEST,
  FEDAPAY_UNDER_TEST,
  PAWAPAY_UNDER_TEST,
] as NetworkUnderTest[]) {
  it(`no secret of ${underTest.connector.name} leaves the line to its network`, async () => {
    const lines: string[] = []
    const secrets = new Set<string>()
    const log = makeLog('debug', { write: (line) => void lines.push(line) })
    const service = await openServiceOnNetwork(watching(underTest, secrets), undefined, { log })
    try {
      for (const value of Object.values(service.network.credentials)) secrets.add(value)
      const { secretKey } = (await service.merchant()).accounts.sandbox
      const answers = await liveThrough(service, secretKey, underTest)
      const known = [...secrets].filter((secret) => secret.length >= SHORTEST_SECRET)
      assert.ok(known.length > 0, 'there is something to look for')
      assert.ok(lines.length > 10, 'the log says something')
      const places = { log: lines.join(''), answers, tables: await allTables(service) }
      for (const [place, text] of Object.entries(places))
        for (const secret of known) assert.ok(!text.includes(secret), `a secret is in the ${place}`)
    } finally {
      await service.remove()
    }
  })
}

/** The same network; whatever shows it who we are is noted. */
function watching(underTest: NetworkUnderTest, secrets: Set<string>): NetworkUnderTest {
  const makeNetwork: NetworkUnderTest['makeNetwork'] = (deps) => {
    const network = underTest.makeNetwork(deps)
    const handle = (request: WireRequest) => {
      for (const name of SECRET_HEADERS) secrets.add((request.headers[name] ?? '').replace(/^(Bearer|Basic) /, ''))
      return network.handle(request)
    }
    return { ...network, handle }
  }
  return { ...underTest, makeNetwork }
}

async function liveThrough(service: ServiceOnNetwork, secretKey: string, underTest: NetworkUnderTest): Promise<string> {
  const { network, clock } = service
  const body = () => order({ msisdn: underTest.msisdn, country: underTest.operator.endsWith('_bj') ? 'BJ' : 'NE' })
  const said: unknown[] = []
  const paid = (await post(service, secretKey, body())).body
  await clock.advance(10_000)
  const read = await get(service, secretKey, paid.reference as string)
  assert.equal(read.body.status, 'succeeded')
  said.push(paid, read.body, await refundPayment(service, TESTER, { name: paid.reference as string }))
  await clock.advance(10_000)
  // Every fault that there is, for a while each: errors that quote what they were sent are among them.
  for (const fault of Object.keys(network.faults.known)) {
    network.faults.on(fault)
    said.push((await post(service, secretKey, body())).body)
    await clock.advance(3_000)
    network.faults.allOff()
  }
  await clock.advance(MINUTE_MS)
  said.push((await service.app.inject('/metrics')).body, service.dispatcher.health())
  return JSON.stringify(said)
}

async function allTables({ db }: ServiceOnNetwork): Promise<string> {
  const tables = await db.rows<{ name: string }>(`select name from sqlite_master where type = 'table'`)
  const rows = await Promise.all(tables.map(({ name }) => db.rows<object>(`select * from ${name}`)))
  return JSON.stringify(rows)
}
