// The side of the thread that thread-writes.ts asks: its own connection, on which it commits what it is given and waits for the disk. It never
// waits for another writer: whoever asked does the work itself then.
import { parentPort, workerData } from 'node:worker_threads'
import { withoutCreating } from './checkpoints.ts'
import type { NamedWork } from './database.ts'
import { openWriter } from './sqlite-connections.ts'
import { isOfDisk, mayBeCommitted } from './sqlite-faults.ts'
import { transactionOn } from './sqlite-transaction.ts'
import { answersOf } from './sqlite-writes.ts'
import type { WriteAnswer, WriteOrder } from './thread-writes.ts'

/** For the first lines of a thread. `works`: the transactions that it knows, beside single statements. */
export function serveWrites(works: readonly NamedWork<never, unknown>[]): void {
  const port = parentPort as NonNullable<typeof parentPort>
  const { writer, write } = openWriter(new URL(withoutCreating(workerData as string)), 'full')
  const tx = transactionOn(write, () => writer.isTransaction)

  async function answer({ statements, named }: WriteOrder): Promise<WriteAnswer> {
    let isCommitting = false
    try {
      write('begin immediate').run()
      const answers = statements.flatMap((each) => answersOf(write, each))
      const result = named && (await perform(named))
      isCommitting = true
      write('commit').run()
      return { answers, result }
    } catch (error) {
      if (writer.isTransaction) write('rollback').run()
      const isUnsure = isCommitting ? mayBeCommitted(error) : isOfDisk(error)
      return isUnsure ? (error as Error) : 'nothing'
    }
  }

  function perform({ name, given }: { name: string; given: unknown }): Promise<unknown> {
    const known = works.find((work) => work.name === name)
    if (known === undefined) throw new Error(`the thread does not know ${name}`)
    return known.work(tx, given as never)
  }

  port.on('message', async (order: WriteOrder | 'close') => {
    if (order !== 'close') return port.postMessage(await answer(order))
    writer.close()
    port.close()
  })
  port.postMessage('ready' satisfies WriteAnswer)
}
