// The thread of sqlite-copy.ts: one long call to SQLite, with a connection of its own.
import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import type { Copy } from './sqlite-copy.ts'

const { from, to } = workerData as Copy
const connection = new DatabaseSync(from, { timeout: 5_000 })
connection.prepare('vacuum into ?').run(to)
connection.close()
