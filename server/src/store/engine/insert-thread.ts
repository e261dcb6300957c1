// A thread with its own connection that inserts many rows and commits them, as inserts.ts asks. It never waits for another writer: whoever
// asked does the work itself then.
import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { withoutCreating } from './checkpoints.ts'
import type { InsertAnswer, InsertOrder } from './inserts.ts'
import { openWriter } from './sqlite-connections.ts'

const port = parentPort as NonNullable<typeof parentPort>
const file = workerData as string
const { writer, write } = openWriter(new URL(withoutCreating(file)))
const log = openSync(`${file}-wal`, 'r+')

function insert({ sql, rows }: Exclude<InsertOrder, 'close'>): InsertAnswer {
  try {
    write('begin immediate').run()
    const statement = write(sql)
    const inserted = rows.map((row) => statement.run(row) === 1)
    write('commit').run()
    return onDisk(inserted)
  } catch {
    if (writer.isTransaction) write('rollback').run()
    return 'nothing'
  }
}

function onDisk(inserted: boolean[]): boolean[] | Error {
  try {
    fdatasyncSync(log)
    return inserted
  } catch (error) {
    return error as Error
  }
}

port.on('message', (order: InsertOrder) => {
  if (order !== 'close') return port.postMessage(insert(order))
  writer.close()
  closeSync(log)
  port.close()
})
port.postMessage('ready' satisfies InsertAnswer)
