// Promise 18: a merchant's requests beside clients that are idle, slow, or send headers without end. The quick form shows that each of them
// is answered. The long form measures them alone and beside the crowd by turns, and takes the median of the ratios, so that neither a slow
// machine nor a noisy one decides.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { Client } from 'undici'
import { openRuntime } from '../../src/service/runtime.ts'
import { CROWD, type CrowdKind } from '../kit/crowd.ts'
import { newMerchant } from '../kit/merchant.ts'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { head, order } from '../kit/service.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { within } from '../kit/waiting.ts'

const MOST_RATIO = 2
const CLIENTS = 4
const ROUNDS = tries(1, 7)
const REQUESTS = tries(100, 5_000)
const isLong = ROUNDS > 1

const CROWDS: readonly [kind: CrowdKind, count: number][] = [
  ['idle', tries(200, 5_000)],
  ['slow heads', tries(50, 1_000)],
  ['slow bodies', tries(50, 1_000)],
  ['endless headers', tries(10, 100)],
]

describe('promise 18', () => {
  let place: StorePlace
  let server: RunningServer
  let clients: Client[]
  let secretKey: string

  before(async () => {
    place = await SQLITE.makePlace()
    const runtime = await openRuntime(place.config)
    secretKey = (await newMerchant(runtime)).accounts.sandbox.secretKey
    await runtime.close()
    server = await startProcess(place.env)
    clients = Array.from({ length: CLIENTS }, () => new Client(server.url))
    await measure()
  })
  after(async () => {
    await Promise.all(clients.map((client) => client.destroy()))
    await server.end('SIGTERM')
    await place.remove()
  })

  /** A create and a read of it, until all clients together have sent so many; the time that 99 of 100 are answered in. */
  async function measure(): Promise<number> {
    const times: number[] = []
    async function timed(client: Client, method: 'GET' | 'POST', path: string, body?: string): Promise<string> {
      const sentAt = performance.now()
      const answer = await client.request({ method, path, headers: head(secretKey), body: body ?? null })
      const text = await answer.body.text()
      times.push(performance.now() - sentAt)
      assert.equal(answer.statusCode, 200, text)
      return text
    }
    async function useOf(client: Client): Promise<void> {
      while (times.length < REQUESTS) {
        const { reference } = JSON.parse(await timed(client, 'POST', '/api/v1/payments', JSON.stringify(order())))
        await timed(client, 'GET', `/api/v1/payments/${reference}`)
      }
    }
    await Promise.all(clients.map(useOf))
    return times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] as number
  }

  async function besideCrowd<T>(kind: CrowdKind, count: number, work: () => Promise<T>): Promise<T> {
    const { port } = new URL(server.url)
    const crowd = spawn(process.execPath, [CROWD, port, kind, String(count)], { stdio: ['pipe', 'pipe', 'inherit'] })
    const gone = once(crowd, 'exit')
    await within('crowd that is connected', once(crowd.stdout, 'data'))
    try {
      return await work()
    } finally {
      crowd.stdin.end()
      await gone
    }
  }

  for (const [kind, count] of CROWDS) {
    const figure = isLong ? `, within less than ${MOST_RATIO} times what it takes alone` : ''
    it(`a healthy client beside ${count} clients with ${kind} is answered${figure}`, async (t) => {
      const ratios: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const alone = await measure()
        ratios.push((await besideCrowd(kind, count, measure)) / alone)
      }
      tried(ROUNDS)
      const median = ratios.sort((one, other) => one - other)[Math.floor(ratios.length / 2)] as number
      t.diagnostic(
        `p99 beside ${count} × ${kind}: ${median.toFixed(2)} times that alone (${ratios.map((each) => each.toFixed(2)).join(' ')})`,
      )
      if (isLong) assert.ok(median < MOST_RATIO, `${median.toFixed(2)} times`)
    })
  }
})
