// The measured stores. Each place is a new, empty database with its own data folder.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { makePostgres } from '../server/test/kit/postgres.ts'

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
  await client.query(`drop database ${client.escapeIdentifier(new URL(url).pathname.slice(1))} with (force)`)
  await client.end()
}

function dataFolders() {
  const root = mkdtempSync(join(tmpdir(), 'karba-bench-'))
  let folders = 0
  const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', () => removeFolder(root))
  return { newFolder: () => join(root, `${++folders}`), removeFolder }
}
