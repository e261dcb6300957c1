// Several processes of the service on one PostgreSQL, as a payment company runs it: one that answers merchants and workers that bring
// payments to their outcome, with an operator that keeps books.
import { type OperatorWithBooks, openOperatorWithBooks } from './operator-with-books.ts'
import { type RunningServer, startProcess } from './process.ts'
import { head, order } from './service.ts'
import { POSTGRES, type StorePlace } from './stores.ts'
import { until } from './waiting.ts'

export interface SeveralProcesses {
  operator: OperatorWithBooks
  place: StorePlace
  api: RunningServer
  workers: RunningServer[]
  /** References of payments that were answered with 200. */
  acknowledged: string[]
  create(count: number): Promise<string[]>
  statusOf(reference: string): Promise<string>
  /** Waits until all of them have succeeded; throws when one has failed, or when it takes longer. */
  settled(what: string, references: readonly string[], patienceMs?: number): Promise<void>
  ready(server: RunningServer): Promise<{ code: number; failing: string[] }>
  close(): Promise<void>
}

export interface SeveralOptions {
  /** Settings of the API and of each worker, in this order. */
  settings: readonly Record<string, string>[]
  /** Instead of the database's own address: a way to it that a test can break. */
  through?(databaseUrl: string): Promise<string>
}

const AT_ONCE = 20

export async function startSeveralProcesses({ settings, through }: SeveralOptions): Promise<SeveralProcesses> {
  const operator = await openOperatorWithBooks()
  const place = await POSTGRES.makePlace({ KARBA_SIMULATOR_URL: operator.url, KARBA_LOG_LEVEL: 'error' })
  const databaseUrl = place.env.DATABASE_URL as string
  const env = { ...place.env, DATABASE_URL: (await through?.(databaseUrl)) ?? databaseUrl }
  const [api, ...workers] = await startEach(
    settings.map((own, at) => ({ KARBA_ROLE: at === 0 ? 'api' : 'worker', ...own })),
  )
  const secretKey = /sk_sandbox_\w+/.exec((api as RunningServer).printed())?.[0] as string
  const url = `${(api as RunningServer).url}/api/v1/payments`

  /** The first makes the database ready before the others open it. */
  async function startEach([first, ...others]: Record<string, string>[]): Promise<RunningServer[]> {
    const api = await startProcess({ ...env, ...first })
    return [api, ...(await Promise.all(others.map((own) => startProcess({ ...env, ...own }))))]
  }

  async function createOne(): Promise<string> {
    const answer = await fetch(url, { method: 'POST', headers: head(secretKey), body: JSON.stringify(order()) })
    if (answer.status !== 200) throw new Error(`a create was answered with ${answer.status}`)
    const { reference } = (await answer.json()) as { reference: string }
    several.acknowledged.push(reference)
    return reference
  }

  const several: SeveralProcesses = {
    operator,
    place,
    api: api as RunningServer,
    workers,
    acknowledged: [],
    async create(count) {
      const references: string[] = []
      while (references.length < count) {
        const some = Math.min(AT_ONCE, count - references.length)
        references.push(...(await Promise.all(Array.from({ length: some }, createOne))))
      }
      return references
    },
    async statusOf(reference) {
      const answer = await fetch(`${url}/${reference}`, { headers: head(secretKey) })
      return ((await answer.json()) as { status: string }).status
    },
    async settled(what, references, patienceMs) {
      const left = new Set(references)
      const isDone = async (): Promise<boolean> => {
        for (const reference of left) {
          const status = await several.statusOf(reference)
          if (status === 'failed') throw new Error(`${reference} was told failed, and the operator debited it`)
          if (status !== 'succeeded') return false
          left.delete(reference)
        }
        return true
      }
      await until(`end of ${what}`, isDone, patienceMs, 50).catch((error: Error) => {
        throw new Error(`${error.message}: ${left.size} of ${references.length} are left`, { cause: error })
      })
    },
    async ready({ url: own }) {
      const answer = await fetch(`${own}/readyz`)
      const { failing = [] } = (await answer.json()) as { failing?: string[] }
      return { code: answer.status, failing }
    },
    async close() {
      for (const server of [several.api, ...workers]) {
        server.child.kill('SIGCONT')
        await server.end('SIGKILL')
      }
      operator.close()
      await place.remove()
    },
  }
  return several
}
