// A thread with its own SQLite connection, for calls that take long and write nothing of ours:
// checkpoints and whole copies. This file is both sides.
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { type FileWatch, writeWhole } from './durable-file.ts'

type Opened = { karbaSqliteUrl: string; busyMs: number }

type Call = { sql: string; values: readonly string[] } | 'close'
type Answer = Record<string, number> | undefined

export type SqliteThread = ReturnType<typeof openThread>

/** `busyMs`: how long a call may wait for locks of other connections. */
export function openThread(file: string, busyMs: number) {
  // Opening must not create an empty file where the database was removed.
  const url = pathToFileURL(file)
  url.searchParams.set('mode', 'rw')
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { karbaSqliteUrl: url.href, busyMs } satisfies Opened,
  })
  let fail: (why: Error) => void = () => {}
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.on('error', (error: Error) => fail(error))
  void ended.then(() => fail(new Error('the SQLite thread has ended')))
  worker.unref()
  let isClosing = false
  return {
    /**
     * The first row that the statement returns. One call at a time. When it fails it rejects, and
     * the thread has ended.
     */
    run(sql: string, values: readonly string[] = []): Promise<Answer> {
      worker.ref()
      return new Promise<Answer>((resolve, reject) => {
        fail = reject
        worker.once('message', resolve)
        worker.postMessage({ sql, values } satisfies Call)
      }).finally(() => {
        // A close waits for the thread's end: without the reference the process would end first.
        if (!isClosing) worker.unref()
      })
    },
    close(): Promise<void> {
      isClosing = true
      worker.ref()
      worker.postMessage('close' satisfies Call)
      return ended
    },
  }
}

/**
 * Copies an SQLite database as it is at one moment, while other connections write to it. Returns
 * the copy's bytes.
 */
export async function copySqlite(
  { from, to }: { from: string; to: string },
  watch: FileWatch,
): Promise<number> {
  const thread = openThread(from, 5_000)
  try {
    return await writeWhole(to, (unfinished) => thread.run('vacuum into ?', [unfinished]), watch)
  } finally {
    await thread.close()
  }
}

function serve(port: NonNullable<typeof parentPort>, { karbaSqliteUrl, busyMs }: Opened): void {
  const connection = new DatabaseSync(new URL(karbaSqliteUrl), { timeout: busyMs })
  port.on('message', (call: Call) => {
    if (call !== 'close') return port.postMessage(connection.prepare(call.sql).get(...call.values))
    connection.close()
    port.close()
  })
}

if (parentPort !== null && (workerData as Partial<Opened> | null)?.karbaSqliteUrl !== undefined) {
  serve(parentPort, workerData as Opened)
}
