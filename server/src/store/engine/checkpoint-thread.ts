// A thread with its own connection that copies the pages of SQLite's WAL into the database file, as often as checkpoints.ts asks. Never
// waits for readers or writers, nor keeps them waiting.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadAnswer, ThreadOrder } from './checkpoints.ts'

const port = parentPort as NonNullable<typeof parentPort>
const connection = new DatabaseSync(new URL(workerData as string))
connection.exec('pragma synchronous = full')

port.on('message', (order: ThreadOrder) => {
  if (order === 'copy') {
    connection.exec('pragma wal_checkpoint(passive)')
    // What was written meanwhile: less, and sooner copied.
    connection.exec('pragma wal_checkpoint(passive)')
    port.postMessage('copied' satisfies ThreadAnswer)
  } else {
    connection.close()
    port.close()
  }
})
