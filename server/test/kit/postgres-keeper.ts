// The process that a PostgreSQL of the tests belongs to. It starts and kills the server as it is told, and when the process that
// forked it is gone, it stops the server, removes its files and ends.
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keep } from './postgres-keeping.ts'
import { endNode, initialise, type Node, prepareFolder, startNode } from './postgres-node.ts'

const folder = await mkdtemp(join(tmpdir(), 'karba-postgres-'))
let server: ChildProcess | undefined
let prepared: Promise<{ bin: string; node: Node }> | undefined

keep({
  async carryOut(command) {
    if (command === 'kill') await endNode(server, 'SIGKILL')
    prepared ??= prepare()
    const { bin, node } = await prepared
    if (command === 'start') server = await startNode(bin, folder, node)
    return `postgres://karba@127.0.0.1:${node.port}/postgres`
  },
  servers: () => [server],
  remove: () => rm(folder, { recursive: true, force: true }),
})

async function prepare(): Promise<{ bin: string; node: Node }> {
  const bin = await prepareFolder(folder)
  return { bin, node: await initialise(bin, folder) }
}
