// The example shops as processes, for their tests. PHP and Python run if the machine has them.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { isInstalled, programFor } from '../server/test/docs/printed-code.ts'
import { until } from '../server/test/kit/waiting.ts'

export interface ShopKind {
  name: string
  /** Undefined if the machine does not have it. */
  program: string | undefined
  args(port: number): string[]
  env?: Record<string, string>
  /** The ids of delivered orders, from the shop's own files. */
  delivered(folder: string): string[]
}

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const filesOfDeliveries = (folder: string): string[] => {
  const deliveries = join(folder, 'deliveries')
  return existsSync(deliveries) ? readdirSync(deliveries) : []
}

export const SHOPS: readonly ShopKind[] = [
  {
    name: 'shop-node',
    program: programFor('js'),
    args: () => [fileOf('shop-node/shop.mjs')],
    delivered: filesOfDeliveries,
  },
  {
    name: 'shop-php',
    program: programFor('php'),
    args: (port) => ['-S', `127.0.0.1:${port}`, fileOf('shop-php/shop.php')],
    delivered: filesOfDeliveries,
  },
  {
    name: 'shop-python',
    program: programFor('python'),
    args: () => [fileOf('shop-python/shop.py')],
    delivered: (folder) => rowsOfDeliveries(folder, 'deliveries'),
  },
]

/** Debian's Python, which has Debian's packages. */
const PYTHON = '/usr/bin/python3'
const pythonWith = (module: string): string | undefined =>
  isInstalled(PYTHON, ['-c', `import ${module}`]) ? PYTHON : undefined
const env = { PYTHONPATH: fileOf('../clients/python'), PYTHONDONTWRITEBYTECODE: '1' }

/** They handle an event after they have answered it, and read its payment back. */
export const FRAMEWORKS: readonly ShopKind[] = [
  {
    name: 'django',
    program: pythonWith('django') && 'sh',
    env,
    // The worker ends with the group of its web server.
    args: (port) => [
      '-c',
      `"$0" "$1" migrate -v 0 && { "$0" "$1" handle_events & exec "$0" "$1" runserver --noreload ${port}; }`,
      PYTHON,
      fileOf('django/manage.py'),
    ],
    delivered: (folder) => rowsOfDeliveries(folder, 'shop_delivery'),
  },
  {
    name: 'fastapi',
    program: pythonWith('fastapi, uvicorn'),
    env,
    args: (port) => [
      '-m',
      'uvicorn',
      '--app-dir',
      fileOf('fastapi'),
      'shop:app',
      '--port',
      `${port}`,
    ],
    delivered: (folder) => rowsOfDeliveries(folder, 'deliveries'),
  },
]

function rowsOfDeliveries(folder: string, table: string): string[] {
  // The shop may be writing.
  const db = new DatabaseSync(join(folder, 'orders.db'), { timeout: 5_000 })
  const rows = db.prepare(`select order_id from ${table}`).all()
  db.close()
  return rows.map((row) => row.order_id as string)
}

export interface ShopSettings {
  folder: string
  port: number
  karbaUrl: string
  secretKey: string
  secretHash: string
  signingSecret: string
}

export interface RunningShop {
  child: ChildProcess
  url: string
  end(signal: NodeJS.Signals): Promise<void>
}

export async function startShop(kind: ShopKind, settings: ShopSettings): Promise<RunningShop> {
  const { folder, port, karbaUrl, secretKey, secretHash, signingSecret } = settings
  const url = `http://127.0.0.1:${port}`
  const child = spawn(kind.program as string, kind.args(port), {
    env: {
      PATH: process.env.PATH,
      ...kind.env,
      // PHP's own server answers one request at a time otherwise, and a real one does not.
      PHP_CLI_SERVER_WORKERS: '6',
      KARBA_URL: karbaUrl,
      PORT: String(port),
      DATA: folder,
      SECRET_KEY: secretKey,
      SECRET_HASH: secretHash,
      SIGNING_SECRET: signingSecret,
    },
    stdio: 'ignore',
    // PHP's workers are processes: a signal reaches all of the group.
    detached: true,
  })
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
  await until(`${kind.name} that listens`, () => {
    if (hasEnded()) throw new Error(`${kind.name} ended with ${child.exitCode ?? child.signalCode}`)
    return fetch(url).then(
      ({ status }) => status === 200,
      () => false,
    )
  })
  return {
    child,
    url,
    end: async (signal) => {
      const ended = hasEnded() ? undefined : once(child, 'exit')
      try {
        process.kill(-(child.pid as number), signal)
      } catch {
        // Every process of the group has ended.
      }
      await ended
    },
  }
}

/** Returns the id of the order. */
export async function placeOrder(shopUrl: string, msisdn: string): Promise<string> {
  const body = new URLSearchParams({ name: 'Awa Diallo', msisdn })
  const answer = await fetch(`${shopUrl}/orders`, { method: 'POST', body, redirect: 'manual' })
  const [, id] = /^\/orders\/(.+)$/.exec(answer.headers.get('location') ?? '') ?? []
  if (answer.status !== 303 || id === undefined)
    throw new Error(`the order was answered with ${answer.status}`)
  return id
}

export async function orderPage(
  shopUrl: string,
  id: string,
): Promise<{ status: string; text: string }> {
  const text = await (await fetch(`${shopUrl}/orders/${id}`)).text()
  return { status: /<b>(\w+)<\/b>/.exec(text)?.[1] ?? '', text }
}

/** Waits until the order's page shows this status; returns the page's text. */
export const orderThatIs = (shopUrl: string, id: string, status: string): Promise<string> =>
  until(`order that is ${status}`, async () => {
    const page = await orderPage(shopUrl, id)
    return page.status === status ? page.text : undefined
  })
