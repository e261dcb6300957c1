// Starts the servers that are measured, each in a process of its own: the bare server, and Karba exactly as `npm start` starts it, with its
// log in a file.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { until } from '../server/test/kit/waiting.ts'
import type { LoadOrder, LoadResult } from './load.ts'
import type { ReceiverStats } from './receiver.ts'

/** Whatever is measured is over by then, or never. */
export const LONGEST_RUN_MS = 600_000

const run = promisify(execFile)
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export interface Measured {
  name: string
  port: number
  secretKey: string
  /** How many payments `order-0`, `order-1` … there are to read. */
  stored: number
  residentMb(): Promise<number>
  /** How many payments it has brought to an outcome. */
  outcomes(): Promise<number>
  stop(): Promise<void>
}

export async function startBare(): Promise<Measured> {
  const { child, printed, folder } = await start('bare-server.ts', {}, /ready at/)
  return measured('bare Fastify', child, folder, printed, 'none')
}

export async function startKarba(
  name: string,
  settings: Record<string, string>,
  ready = /"customer_name"/,
): Promise<Measured> {
  const { child, printed, folder } = await start('../server/src/main.ts', settings, ready)
  const secretKey = /sk_sandbox_\w+/.exec(printed)?.[0] as string
  return measured(name, child, folder, printed, secretKey)
}

/** A merchant's server in a process of its own. */
export async function startReceiver() {
  const { child, printed, folder } = await start('receiver.ts', {}, /ready at/)
  const url = /ready at (\S+)/.exec(printed)?.[1] as string
  const ask = async (path: string): Promise<string> => (await fetch(url + path)).text()
  return {
    url: `${url}/hook`,
    hangingUrl: `${url}/hang`,
    stats: async () => JSON.parse(await ask('/stats')) as ReceiverStats,
    hasReceived: async (count: number) => {
      const isThere = async () => Number(await ask('/count')) >= count
      await until(`delivery ${count} at the receiver`, isThere, LONGEST_RUN_MS, 100)
    },
    stop: () => end(child, folder),
  }
}

const PREFIX = 'order-'

/** Creates payments that later reads use. */
export async function fill(server: Measured, count: number): Promise<void> {
  await load(server, 'create', count, PREFIX)
  server.stored += count
}

/** One run of the load generator, in a process of its own. Creates need a prefix that no other run has used. */
export async function load(
  { port, secretKey, stored }: Measured,
  kind: 'create' | 'read',
  requests: number,
  prefix: string = PREFIX,
  msisdn = '96123456',
): Promise<LoadResult> {
  const known = Math.max(1, stored)
  const first = prefix === PREFIX ? stored : 0
  const order: LoadOrder = { port, kind, requests, connections: 64, secretKey, prefix, msisdn, first, known, path: '' }
  const { stdout } = await run(process.execPath, [here('load.ts'), JSON.stringify(order)])
  return JSON.parse(stdout) as LoadResult
}

/** The same for a page. */
export async function loadPage({ port, secretKey }: Measured, path: string, requests: number): Promise<LoadResult> {
  const unused = { prefix: '', msisdn: '', first: 0, known: 1 }
  const order: LoadOrder = { port, kind: 'page', requests, connections: 64, secretKey, path, ...unused }
  const { stdout } = await run(process.execPath, [here('load.ts'), JSON.stringify(order)])
  return JSON.parse(stdout) as LoadResult
}

interface Started {
  child: ChildProcess
  printed: string
  folder: string
}

async function start(script: string, settings: Record<string, string>, ready: RegExp): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'karba-bench-'))
  const log = join(folder, 'stdout.log')
  const out = openSync(log, 'w')
  const env = { PATH: process.env.PATH ?? '', PORT: '0', KARBA_DATA_DIR: join(folder, 'data'), ...settings }
  const child = spawn(process.execPath, [here(script)], { env, stdio: ['ignore', out, 'inherit'] })
  closeSync(out)
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null) throw new Error(`${script} ended before it was ready`)
    const printed = readFileSync(log, 'utf8')
    if (ready.test(printed)) return { child, printed, folder }
    await pause(50)
  }
  throw new Error(`${script} was not ready within 10 seconds`)
}

function measured(name: string, child: ChildProcess, folder: string, printed: string, secretKey: string): Measured {
  const port = Number(/ready at http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1])
  return {
    name,
    port,
    outcomes: async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      return [...metrics.matchAll(/^karba_payments_settled_total\{.*\} (\d+)$/gm)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      )
    },
    secretKey,
    stored: 0,
    residentMb: async () => Number((await run('ps', ['-o', 'rss=', '-p', String(child.pid)])).stdout) / 1024,
    stop: () => end(child, folder),
  }
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
  rmSync(folder, { recursive: true, force: true })
}
