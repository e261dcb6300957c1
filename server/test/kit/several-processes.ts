// Several processes of the service on one PostgreSQL, an API and workers, with an operator that
// keeps books, and merchants that create without a pause.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Runtime } from '../../src/service/runtime.ts'
import { column } from './callers.ts'
import { listenLocally, type RunningServer, startProcess } from './process.ts'
import { head, newMerchant, order } from './service.ts'
import { openTestRuntime } from './shared.ts'
import { POSTGRES } from './stores.ts'
import { until } from './waiting.ts'

/**
 * It answers a request after this many milliseconds with `accepted`; a status call shows the debit
 * a little later.
 */
export async function openOperatorWithBooks({ answersAfterMs = 50, decidesAfterMs = 200 } = {}) {
  /**
   * How often each payment was requested, by reference. A payment that was requested was debited.
   */
  const requests = new Map<string, number>()
  const requestedAt = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request.on('error', () => {})) chunks.push(chunk)
    const sent =
      request.method === 'POST' ? JSON.parse(Buffer.concat(chunks).toString()) : undefined
    const reference: string = sent?.reference ?? (request.url as string).split('/').pop()
    if (sent !== undefined) {
      requests.set(reference, (requests.get(reference) ?? 0) + 1)
      if (!requestedAt.has(reference)) requestedAt.set(reference, performance.now())
      await pause(answersAfterMs)
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answerAbout(reference)))
  })

  function answerAbout(reference: string): object {
    const at = requestedAt.get(reference)
    if (at === undefined) return { status: 'not_known' }
    if (performance.now() < at + decidesAfterMs) return { status: 'accepted' }
    return { status: 'succeeded', amount: 1500, operator_reference: `OP-${reference}` }
  }

  return {
    url: `http://127.0.0.1:${await listenLocally(server)}`,
    requests,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type SeveralProcesses = Awaited<ReturnType<typeof startSeveralProcesses>>

const AT_ONCE = 20

/**
 * `settings` of the API and of each worker, in this order; `through` gives the address of a proxy
 * that a test can break, instead of the database's own.
 */
export async function startSeveralProcesses(
  settings: readonly Record<string, string>[],
  through?: (databaseUrl: string) => Promise<string>,
) {
  const operator = await openOperatorWithBooks()
  const settingsOfAll = { KARBA_SIMULATOR_URL: operator.url, KARBA_LOG_LEVEL: 'error' }
  const place = await POSTGRES.makePlace(settingsOfAll, { isMigrated: true })
  const databaseUrl = place.env.DATABASE_URL as string
  const env = { ...place.env, DATABASE_URL: (await through?.(databaseUrl)) ?? databaseUrl }
  const [api, ...workers] = await startEach(
    settings.map((own, at) => ({ KARBA_ROLE: at === 0 ? 'api' : 'worker', ...own })),
  )
  const secretKey = /sk_sandbox_\w+/.exec((api as RunningServer).printed())?.[0] as string
  const url = `${(api as RunningServer).url}/api/v1/payments`
  /** References of payments that were answered with 200. */
  const acknowledged: string[] = []

  /** The first makes the demo merchant before the others open the database. */
  async function startEach([first, ...others]: Record<string, string>[]): Promise<RunningServer[]> {
    const api = await startProcess({ ...env, ...first })
    return [api, ...(await Promise.all(others.map((own) => startProcess({ ...env, ...own }))))]
  }

  async function createOne(): Promise<string> {
    const answer = await fetch(url, {
      method: 'POST',
      headers: head(secretKey),
      body: JSON.stringify(order()),
    })
    if (answer.status !== 200) throw new Error(`a create was answered with ${answer.status}`)
    const { reference } = (await answer.json()) as { reference: string }
    acknowledged.push(reference)
    return reference
  }

  async function statusOf(reference: string): Promise<string> {
    const answer = await fetch(`${url}/${reference}`, { headers: head(secretKey) })
    return ((await answer.json()) as { status: string }).status
  }

  return {
    operator,
    api: api as RunningServer,
    workers,
    acknowledged,
    async create(count: number): Promise<string[]> {
      const references: string[] = []
      while (references.length < count) {
        const some = Math.min(AT_ONCE, count - references.length)
        references.push(...(await Promise.all(Array.from({ length: some }, createOne))))
      }
      return references
    },
    /** Waits until all of them have succeeded; throws when one has failed, or at the timeout. */
    async settled(what: string, references: readonly string[], patienceMs?: number): Promise<void> {
      const left = new Set(references)
      const isDone = async (): Promise<boolean> => {
        for (const reference of left) {
          const status = await statusOf(reference)
          if (status === 'failed')
            throw new Error(`${reference} was reported as failed, and the operator debited it`)
          if (status !== 'succeeded') return false
          left.delete(reference)
        }
        return true
      }
      await until(`end of ${what}`, isDone, patienceMs, 50).catch((error: Error) => {
        throw new Error(`${error.message}: ${left.size} of ${references.length} are left`, {
          cause: error,
        })
      })
    },
    async ready({ url: own }: RunningServer) {
      const answer = await fetch(`${own}/readyz`)
      const { failing = [] } = (await answer.json()) as { failing?: string[] }
      return { code: answer.status, failing }
    },
    async close(): Promise<void> {
      for (const server of [api as RunningServer, ...workers]) {
        server.child.kill('SIGCONT')
        await server.end('SIGKILL')
      }
      operator.close()
      await place.remove()
    },
  }
}

export const IN_FLIGHT = 16
const LONGEST_WAIT_MS = 30_000
/**
 * While the service is away. Sixteen clients that try again every 20 ms took more CPU than the
 * service that starts.
 */
const RETRY_MS = 100

export interface Load {
  /** transaction_id to reference, as acknowledged. */
  acknowledged: Map<string, string>
  /** How often each answer came; `cut` for a connection that ended without one. */
  answers: Map<number | 'cut', number>
  /** Violations, in words. */
  wrongs: string[]
  stop(): Promise<void>
}

/**
 * Keeps requests in flight, and retries each transaction_id until the service has it, as a careful
 * merchant would. Each pauses after a payment that was acknowledged.
 */
export function startLoad(
  url: string,
  secretKey: string,
  { inFlight = IN_FLIGHT, pauseMs = 0 } = {},
): Load {
  const load: Load = { acknowledged: new Map(), answers: new Map(), wrongs: [], stop }
  let stopping = false

  async function tryUntilRecorded(): Promise<void> {
    const body = order()
    const transactionId = body.transaction_id as string
    let mayExist = false
    while (!stopping) {
      const answer = await fetch(`${url}/api/v1/payments`, {
        method: 'POST',
        headers: head(secretKey),
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(LONGEST_WAIT_MS),
      }).catch(() => undefined)
      const text = await answer?.text().catch(() => undefined)
      const code = answer === undefined || text === undefined ? 'cut' : answer.status
      load.answers.set(code, (load.answers.get(code) ?? 0) + 1)
      // Without an id the answer comes from a proxy, which does not know what became of the
      // request.
      const isOfKarba = answer?.headers.has('x-request-id')
      if (code === 'cut' || !isOfKarba) mayExist = true
      else if (code === 503) {
        if (answer?.headers.get('retry-after') === null)
          load.wrongs.push('a 503 without Retry-After')
      } else {
        if (code === 200) load.acknowledged.set(transactionId, JSON.parse(text as string).reference)
        else if (code !== 422) load.wrongs.push(`${code} ${text}`)
        else if (!mayExist)
          load.wrongs.push(`${transactionId} was answered 503 although it was recorded`)
        else
          load.acknowledged.set(
            transactionId,
            answer?.headers.get('svc-existing-reference') ?? 'no reference',
          )
        return
      }
      await pause(RETRY_MS)
    }
  }

  const workers = Array.from({ length: inFlight }, async () => {
    while (!stopping) {
      await tryUntilRecorded()
      if (pauseMs > 0) await pause(pauseMs)
    }
  })
  async function stop(): Promise<void> {
    stopping = true
    await Promise.all(workers)
  }
  return load
}

export function moreAcknowledged(load: Load, count: number): Promise<true> {
  const enough = load.acknowledged.size + count
  return until('acknowledgement of more payments', () => load.acknowledged.size >= enough)
}

/** No answer of the load was wrong, and every acknowledged payment has both of its names. */
export async function assertReadable(
  url: string,
  secretKey: string,
  { acknowledged, wrongs }: Load,
): Promise<void> {
  assert.deepEqual(wrongs, [])
  for (const [transactionId, reference] of acknowledged) {
    for (const name of [reference, transactionId]) {
      const answer = await fetch(`${url}/api/v1/payments/${name}`, { headers: head(secretKey) })
      const body = (await answer.json()) as { reference?: string }
      assert.deepEqual([answer.status, body.reference], [200, reference], name)
    }
  }
}

/** No payment exists twice, and none that was not sent. */
export async function assertRecordedOnce(
  { db }: Pick<Runtime, 'db'>,
  accountId: string,
  load: Load,
): Promise<void> {
  const sql = 'select external_reference as name from payments where account_id = :accountId'
  const names = column(await db.read<{ name: string }>(sql, { accountId }), 'name')
  assert.equal(new Set(names).size, names.length, 'no transaction_id twice')
  // Only requests cut off at the end of the load may be recorded without an acknowledgement.
  const unanswered = names.filter((name) => !load.acknowledged.has(name)).length
  assert.ok(unanswered <= IN_FLIGHT, `${unanswered} payments without an answer`)
}

/** A store with a merchant, whose sandbox account is returned. */
export async function makePlaceWithAccount(...wishes: Parameters<typeof openTestRuntime>) {
  const runtime = await openTestRuntime(...wishes)
  const account = (await newMerchant(runtime)).accounts.sandbox
  await runtime.close()
  return { place: runtime.place, ...account }
}
