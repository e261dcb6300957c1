// A merchant's connection in several real processes: entered at the API, used by the worker within
// a second.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { Clock } from '../../../simulators/src/network.ts'
import { type NetworkServer, startNetworkServer } from '../../../simulators/src/network-server.ts'
import { pawapayNetwork } from '../../../simulators/src/pawapay/network.ts'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { openRuntime, realClock } from '../../src/service/runtime.ts'
import { PASSWORD, type SignedIn, signedIn } from '../kit/people.ts'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { head, newMerchant, order } from '../kit/service.ts'
import { POSTGRES, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

const PAYER = { country: 'BJ', msisdn: '0151345789' }

describe('merchant connections in several processes', () => {
  const clock: Clock = realClock
  const deps = {
    clock,
    random: { bytes: (count: number) => randomBytes(count) },
    decideAfterMs: 200,
  }
  const network = pawapayNetwork({ ...deps, sendCallback: async () => undefined })
  const servers: RunningServer[] = []
  let simulator: NetworkServer
  let place: StorePlace
  let merchant: NewMerchant
  let owner: SignedIn

  before(async () => {
    simulator = await startNetworkServer(network, { clock })
    place = await POSTGRES.makePlace({ KARBA_NETWORK_ADDRESSES: `live/pawapay=${simulator.url}` })
    const runtime = await openRuntime(place.config)
    merchant = await newMerchant(runtime)
    owner = await signedIn(runtime, { at: merchant.merchantId, as: 'owner' })
    await runtime.close()
    for (const role of ['api', 'worker'])
      servers.push(await startProcess({ ...place.env, KARBA_ROLE: role }))
  })
  after(async () => {
    for (const server of servers) await server.end('SIGKILL')
    await simulator.close()
    await place.remove()
  })

  const api = (): string => servers[0]?.url as string

  async function dashboard(path: string, body: object) {
    const url = `${api()}/dashboard/api/accounts/${merchant.accounts.live.accountId}/connections${path}`
    const headers = { 'content-type': 'application/json', origin: api(), cookie: owner.cookie }
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    return { code: answer.status, body: (await answer.json()) as Record<string, string> }
  }

  async function payments(name = '', body?: object) {
    const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(`${api()}/api/v1/payments${name}`, {
      headers: head(merchant.accounts.live.secretKey),
      ...request,
    })
    return { code: answer.status, body: (await answer.json()) as Record<string, string> }
  }

  it('a payment goes to the wallet that its merchant has connected, and suspending it stops new ones', async () => {
    const fields = { apiToken: network.credentials.apiToken }
    const added = await dashboard('', {
      connector: 'pawapay',
      label: 'Mine',
      serves: ['mtn_bj'],
      fields,
      password: PASSWORD,
    })
    assert.equal(added.code, 200, JSON.stringify(added.body))
    // The simulated network takes payments until the process has read of the connection.
    const reference = await until(
      'payment at the wallet',
      async () => {
        const { body } = await payments('', order(PAYER))
        return network.books().length > 0 ? body.reference : undefined
      },
      20_000,
      300,
    )
    await until(
      'success',
      async () => (await payments(`/${reference}`)).body.status === 'succeeded',
    )
    assert.equal((await dashboard(`/${added.body.connectionId}/suspend`, {})).code, 200)
    await until('refusal', async () => (await payments('', order(PAYER))).code === 403, 10_000, 200)
    assert.ok(network.books().every(({ debits }) => debits <= 1))
  })
})
