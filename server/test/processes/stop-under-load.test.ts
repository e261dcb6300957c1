// SIGTERM under load, with an operator that takes its time: every payment that was answered with 200 reaches the operator exactly once,
// before the stop or after the next start, and none is told to have failed.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startProcess } from '../kit/process.ts'
import { head, order } from '../kit/service.ts'
import { STORES, type StoreKind } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'

/** How long an operator takes to answer: one for each round, in turn. */
const OPERATORS_MS = [400, 5, 2_000]
/** With this one and slower ones, the stop comes when so many payments are not sent yet. */
const SLOW_OPERATOR_MS = 400
const NOT_SENT_YET = 50
const ROUNDS = tries(1, 25)
const LOAD_MS = 500
const CALLERS = 200
const PATIENCE_MS = 60_000
/** Of several operators behind one address: more calls at once than there are connections to it, so that some wait for one. */
const PAYERS = [
  { country: 'NE', msisdn: '96123456' },
  { country: 'NE', msisdn: '90123456' },
  { country: 'NE', msisdn: '94123456' },
  { country: 'BJ', msisdn: '0161123456' },
  { country: 'BJ', msisdn: '0160123456' },
]

/** The simulated network's wire form, and books of its own: how often each payment was requested. */
async function openOperator(answerMs: number): Promise<{ server: Server; url: string; requests: Map<string, number> }> {
  const requests = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request.on('error', () => {})) chunks.push(chunk)
    const sent = request.method === 'POST' ? JSON.parse(Buffer.concat(chunks).toString()) : undefined
    const reference: string = sent?.reference ?? (request.url as string).split('/').pop()
    if (sent !== undefined) requests.set(reference, (requests.get(reference) ?? 0) + 1)
    if (sent !== undefined) await pause(answerMs)
    const known = { status: 'succeeded', amount: 1500, operator_reference: `OP-${reference}` }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(requests.has(reference) ? known : { status: 'not_known' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

for (const kind of STORES) {
  describe(`a stop under load on ${kind.name}`, () => {
    for (let round = 0; round < ROUNDS; round++) {
      const operatorMs = OPERATORS_MS[round % OPERATORS_MS.length] as number
      it(`sends what was acknowledged exactly once, before the stop or after the next start (${round + 1}, answers after ${operatorMs} ms)`, (t) =>
        stopUnderLoad(t, kind, operatorMs))
    }
  })
}

async function stopUnderLoad(t: TestContext, kind: StoreKind, operatorMs: number): Promise<void> {
  const operator = await openOperator(operatorMs)
  t.after(() => {
    operator.server.closeAllConnections()
    operator.server.close()
  })
  const place = await kind.makePlace({ KARBA_SIMULATOR_URL: operator.url, KARBA_LOG_LEVEL: 'silent' })
  const first = await startProcess(place.env)
  t.after(() => first.end('SIGKILL'))
  const secretKey = /sk_sandbox_\w+/.exec(first.printed())?.[0] as string
  const acknowledged: string[] = []
  let isLoadOver = false

  async function call(): Promise<void> {
    while (!isLoadOver) {
      try {
        const body = JSON.stringify(order(PAYERS[acknowledged.length % PAYERS.length]))
        const answer = await fetch(`${first.url}/api/v1/payments`, {
          method: 'POST',
          headers: head(secretKey),
          body,
        })
        if (answer.status !== 200) return
        acknowledged.push(((await answer.json()) as { reference: string }).reference)
      } catch {
        return
      }
    }
  }
  const load = Promise.all(Array.from({ length: CALLERS }, call))
  await pause(LOAD_MS)
  if (operatorMs >= SLOW_OPERATOR_MS)
    await until('backlog', () => acknowledged.length - operator.requests.size >= NOT_SENT_YET)
  const stopped = first.end('SIGTERM')
  await stopped.finally(() => {
    isLoadOver = true
  })
  await load
  assert.equal(await stopped, 0)
  const sentBefore = operator.requests.size
  if (operatorMs >= SLOW_OPERATOR_MS) assert.ok(acknowledged.length > sentBefore, 'all had been sent before the stop')

  const second = await startProcess(place.env)
  t.after(() => second.end('SIGKILL'))
  const statusOf = async (reference: string): Promise<unknown> => {
    const answer = await fetch(`${second.url}/api/v1/payments/${reference}`, { headers: head(secretKey) })
    return ((await answer.json()) as { status: string }).status
  }
  const deadline = performance.now() + PATIENCE_MS
  for (const reference of acknowledged) {
    for (let status = await statusOf(reference); status !== 'succeeded'; status = await statusOf(reference)) {
      assert.ok(performance.now() < deadline, `${reference} is ${status} after ${PATIENCE_MS} ms`)
      assert.equal(status, 'pending')
      await pause(50)
    }
  }
  await second.end('SIGTERM')
  await place.remove()
  const notOnce = acknowledged.filter((reference) => operator.requests.get(reference) !== 1)
  assert.deepEqual(notOnce, [])
  tried(1)
}
