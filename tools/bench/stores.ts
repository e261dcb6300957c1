// The measured stores, and what the server's own code prepares in them. Each place is a new, empty
// database with its own data folder.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { appendToFeed } from '../../server/src/actions/events/write-event.ts'
import { readConfig } from '../../server/src/config.ts'
import { openRuntime, type Runtime } from '../../server/src/service/runtime.ts'
import { wakeEndpoints } from '../../server/src/store/webhooks/endpoints.ts'
import { queueDelivery } from '../../server/src/store/webhooks/events.ts'
import { makePostgres } from '../../server/test/kit/postgres.ts'
import { newMerchant } from '../../server/test/kit/service.ts'
import { newEndpoint } from '../../server/test/kit/webhooks.ts'

type StoreName = 'SQLite' | 'PostgreSQL'
export type Settings = Readonly<Record<string, string>>

export interface Store {
  name: StoreName
  newPlace(): Promise<Settings>
  remove(place: Settings): Promise<void>
  close(): Promise<void>
}

export async function openStores(only: string | undefined): Promise<Store[]> {
  const stores: Store[] = []
  if (only !== 'postgres') stores.push(sqliteStore())
  if (only !== 'sqlite') stores.push(await postgresStore())
  return stores
}

function sqliteStore(): Store {
  const { newFolder, removeFolder } = dataFolders()
  return {
    name: 'SQLite',
    newPlace: async () => ({ PORT: '0', KARBA_DATA_DIR: newFolder() }),
    remove: async (place) => removeFolder(place.KARBA_DATA_DIR as string),
    close: async () => {},
  }
}

async function postgresStore(): Promise<Store> {
  const { newFolder, removeFolder } = dataFolders()
  const server = await makePostgres()
  let databases = 0
  return {
    name: 'PostgreSQL',
    newPlace: async () => ({
      PORT: '0',
      KARBA_DATA_DIR: newFolder(),
      DATABASE_URL: await server.createDatabase(`bench${++databases}`),
    }),
    remove: async (place) => {
      await dropDatabase(server.url, place.DATABASE_URL as string)
      removeFolder(place.KARBA_DATA_DIR as string)
    },
    close: () => server.stop(),
  }
}

async function dropDatabase(serverUrl: string, url: string): Promise<void> {
  const client = new pg.Client(serverUrl)
  await client.connect()
  await client.query(
    `drop database ${client.escapeIdentifier(new URL(url).pathname.slice(1))} with (force)`,
  )
  await client.end()
}

function dataFolders() {
  const root = mkdtempSync(join(tmpdir(), 'karba-bench-'))
  let folders = 0
  const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', () => removeFolder(root))
  return { newFolder: () => join(root, `${++folders}`), removeFolder }
}

// Prepares a store for a measurement with the server's own code.

const DATA = {
  public_reference: 'XF5X-ZEBB-9',
  external_reference: 'order-00001234',
  reference: '60dvs8n73hy897smacktapcy',
  status: 'succeeded' as const,
  msisdn: '96123456',
  amount: 1500,
  validated_at: '2026-11-15T09:30:00.000Z',
}

export async function prepare<T>(
  settings: Settings,
  work: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const runtime = await openRuntime(readConfig(settings))
  try {
    return await work(runtime)
  } finally {
    await runtime.close()
  }
}

/**
 * Queues deliveries of different payments, the same number for each of eight endpoints of two
 * merchants.
 */
export async function queueToEight(runtime: Runtime, url: string, count: number): Promise<void> {
  for (let merchant = 0; merchant < 2; merchant++) {
    const { accountId } = (await newMerchant(runtime, { name: `Boutique ${merchant}` })).accounts
      .sandbox
    for (let endpoint = 0; endpoint < 4; endpoint++) {
      const { endpointId } = await newEndpoint(runtime, accountId, url, { events: [] })
      await queueMany(runtime, accountId, endpointId, count / 8)
    }
  }
}

async function queueMany(
  runtime: Runtime,
  accountId: string,
  endpointId: string,
  count: number,
): Promise<void> {
  const { db, random, clock } = runtime
  for (let done = 0; done < count; done += 500) {
    await db.transaction(async (tx) => {
      for (let nth = done; nth < Math.min(done + 500, count); nth++) {
        const createdAt = clock.now()
        const event = {
          accountId,
          number: 1_000_000 + nth,
          environment: 'sandbox',
          data: DATA,
          createdAt,
        } as const
        const sequence = await appendToFeed(tx, random, { ...event, event: 'payment.succeeded' })
        await queueDelivery(
          tx,
          { accountId, endpointId, sequence, round: 0, number: event.number },
          createdAt,
        )
      }
      await wakeEndpoints(tx, accountId, clock.now())
    })
  }
}
