// Copies an SQLite database whole, as it was at one moment, while others go on writing to it. In a thread of its own, so that the one who asks
// can say how far it is: SQLite does it in a single call.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { syncFile, syncFolder } from './durable-file.ts'

export interface Copy {
  from: string
  to: string
}

/** The copy gets its name when it is whole and on disk. `progress` is told its size until then; `pause` waits between. Returns its bytes. */
export async function copySqlite(
  { from, to }: Copy,
  progress: (bytes: number) => void,
  pause: () => Promise<void>,
): Promise<number> {
  const unfinished = `${to}.unfinished-${process.pid}`
  rmSync(unfinished, { force: true })
  try {
    const copying = runThread({ from, to: unfinished })
    let isCopying = true
    const ended = copying.finally(() => {
      isCopying = false
    })
    while (isCopying) {
      await Promise.race([ended, pause()])
      progress(existsSync(unfinished) ? statSync(unfinished).size : 0)
    }
    await copying
    syncFile(unfinished)
    renameSync(unfinished, to)
    syncFolder(dirname(to))
    return statSync(to).size
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

function runThread(copy: Copy): Promise<void> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./sqlite-copy-thread.ts', import.meta.url), { workerData: copy })
    thread.once('error', reject)
    thread.once('exit', () => resolve())
  })
}
