// Starts the measured servers, each in its own process: the bare server, and Karba as `npm start`
// starts it.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { until } from '../../server/test/kit/waiting.ts'
import type { LoadResult } from './load.ts'
import type { LoadOrder } from './requests.ts'
import type { Settings } from './stores.ts'

const LONGEST_RUN_MS = 600_000
/** Not more often: each poll makes the server write all of its metrics. */
const POLL_EVERY_MS = 100

const run = promisify(execFile)
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Succeeds in the answer to the request: the cheapest complete payment. */
export const AT_ONCE = '40410000100'

const START_FLAGS = (packageJson.scripts.start as string)
  .split(' ')
  .filter((word) => word.startsWith('--'))

export interface Measured {
  name: string
  pid: number
  port: number
  secretKey: string
  printed: string
  /** The number of payments `order-0`, `order-1` … to read. */
  stored: number
  residentMb(): Promise<number>
  logBytes(): number
  /** The sum of a counter of /metrics over all labels. */
  counter(name: string): Promise<number>
  hasCounted(name: string, count: number): Promise<void>
  stop(): Promise<void>
}

export const SETTLED = 'karba_payments_settled_total'

export async function startBare(): Promise<Measured> {
  const { child, printed, folder } = await start('bare-server.ts', {}, /ready at/)
  return measured('bare Fastify', child, folder, printed, 'none')
}

/** With the demo merchant of a first start, or with the key of an existing merchant. */
export async function startKarba(
  name: string,
  settings: Settings,
  secretKey?: string,
): Promise<Measured> {
  const ready = secretKey === undefined ? /"customer_name"/ : /ready at/
  const { child, printed, folder } = await start(
    '../../server/src/main.js',
    settings,
    ready,
    START_FLAGS,
  )
  const key = secretKey ?? (/sk_sandbox_\w+/.exec(printed)?.[0] as string)
  return measured(name, child, folder, printed, key)
}

const PREFIX = 'order-'
const FEW = 1_000
const WARM_UP = 6_000
export const WARM_UP_PAYMENTS = FEW + WARM_UP
let runs = 0

async function fill(server: Measured, count: number): Promise<void> {
  await load(server, 'create', count, { prefix: PREFIX, first: server.stored })
  server.stored += count
}

/** Stores a few payments and lets the JIT compile both kinds of requests. */
export async function warmUp(server: Measured): Promise<void> {
  await fill(server, FEW)
  await load(server, 'create', WARM_UP)
  await load(server, 'read', WARM_UP)
}

/** The same for a process that settles; waits until all are settled. */
export async function warmUpAll(server: Measured): Promise<void> {
  await warmUp(server)
  await server.hasCounted(SETTLED, WARM_UP_PAYMENTS)
}

/** One run of the load generator, in its own process. Creates get a new prefix. */
export async function load(
  { port, secretKey, stored }: Measured,
  kind: LoadOrder['kind'],
  requests: number,
  order: Partial<LoadOrder> = {},
): Promise<LoadResult> {
  const whole: LoadOrder = {
    port,
    kind,
    requests,
    connections: 64,
    secretKey,
    prefix: kind === 'create' ? `run-${++runs}-` : PREFIX,
    msisdn: '96123456',
    first: 0,
    known: Math.max(1, stored),
    newest: Number.MAX_SAFE_INTEGER,
    byReference: false,
    burst: 0,
    perSecond: 0,
    ...order,
  }
  const { stdout } = await run(process.execPath, [here('load.ts'), JSON.stringify(whole)])
  return JSON.parse(stdout) as LoadResult
}

const LOG = 'stdout.log'

/** Killed when the bench ends or is interrupted. */
const started = new Set<{ child: ChildProcess; folder: string }>()
process.once('exit', () => {
  for (const { child, folder } of started) {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))

async function start(
  script: string,
  settings: Settings,
  ready: RegExp,
  flags: readonly string[] = [],
) {
  const folder = mkdtempSync(join(tmpdir(), 'karba-bench-'))
  const log = join(folder, LOG)
  const out = openSync(log, 'w')
  const env = { PATH: process.env.PATH ?? '', ...settings }
  const child = spawn(process.execPath, [...flags, here(script)], {
    env,
    stdio: ['ignore', out, 'inherit'],
  })
  closeSync(out)
  started.add({ child, folder })
  const printed = await until(`sign that ${script} is ready`, () => {
    if (child.exitCode !== null) throw new Error(`${script} ended before it was ready`)
    const text = readFileSync(log, 'utf8')
    return ready.test(text) && text
  })
  return { child, printed, folder }
}

function measured(
  name: string,
  child: ChildProcess,
  folder: string,
  printed: string,
  secretKey: string,
): Measured {
  const port = Number(/ready at http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1])
  const counter = async (counted: string): Promise<number> => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const lines = [...metrics.matchAll(new RegExp(`^${counted}(?:\\{.*\\})? ([\\d.e+-]+)$`, 'gm'))]
    return lines.reduce((sum, [, value]) => sum + Number(value), 0)
  }
  return {
    name,
    pid: child.pid as number,
    port,
    secretKey,
    printed,
    stored: 0,
    residentMb: async () =>
      Number((await run('ps', ['-o', 'rss=', '-p', String(child.pid)])).stdout) / 1024,
    logBytes: () => statSync(join(folder, LOG)).size,
    counter,
    hasCounted: async (counted, count) => {
      await until(
        `${count} in ${counted}`,
        async () => (await counter(counted)) >= count,
        LONGEST_RUN_MS,
        POLL_EVERY_MS,
      )
    },
    stop: () => end(child, folder),
  }
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
  rmSync(folder, { recursive: true, force: true })
}

// Signs in to the dashboard as the demo merchant's owner.

export interface DashboardSession {
  /** The address of the account in the dashboard's API. */
  account: string
  cookie: string
}

export async function signIn({
  port,
  printed,
}: Pick<Measured, 'port' | 'printed'>): Promise<DashboardSession> {
  const origin = `http://127.0.0.1:${port}`
  const [, email, password] = /owner\s+(\S+@\S+)\s+(\S+)/.exec(printed) ?? []
  const answer = await fetch(`${origin}/dashboard/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
  })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  const { merchants } = (await answer.json()) as SessionAnswer
  const account = merchants[0]?.accounts.find(({ environment }) => environment === 'sandbox')
  return { account: `${origin}/dashboard/api/accounts/${account?.accountId}`, cookie }
}

type SessionAnswer = { merchants: { accounts: { accountId: string; environment: string }[] }[] }

/** The data of each event of a stream, until the stream or the signal ends it. */
export async function* eventsOf(
  { account, cookie }: DashboardSession,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const answer = await fetch(`${account}/${path}`, { headers: { cookie }, signal })
  if (answer.status !== 200) throw new Error(`the stream answered ${answer.status}`)
  let text = ''
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    text += Buffer.from(chunk).toString()
    const events = text.split('\n\n')
    text = events.pop() as string
    for (const event of events) {
      const data = /^data: (.+)$/m.exec(event)?.[1]
      if (data !== undefined) yield data
    }
  }
}
