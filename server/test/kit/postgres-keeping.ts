// What the keepers of PostgreSQL have in common: commands come from the process that forked them, are carried out one after the other and
// answered; when that process is gone, the servers are stopped and their files removed.
import type { ChildProcess } from 'node:child_process'
import { endNode } from './postgres-node.ts'

export type KeeperAnswer = { url: string } | { failed: string }

/** PostgreSQL that does not stop within this is killed: its files are removed anyway. */
const LONGEST_STOP_MS = 10_000

interface Kept {
  /** The address to connect to. */
  carryOut(command: string): Promise<string>
  servers(): (ChildProcess | undefined)[]
  remove(): Promise<void>
}

export function keep({ carryOut, servers, remove }: Kept): void {
  let turn: Promise<unknown> = Promise.resolve()

  const answer = (command: string): Promise<KeeperAnswer> =>
    carryOut(command).then(
      (url) => ({ url }),
      (error: Error) => ({ failed: error.message }),
    )

  async function leave(): Promise<void> {
    const kill = setTimeout(() => servers().forEach((server) => void server?.kill('SIGKILL')), LONGEST_STOP_MS)
    await Promise.all(servers().map((server) => endNode(server, 'SIGINT')))
    clearTimeout(kill)
    await remove()
  }

  process.on('message', (command: string) => {
    turn = turn.then(() => answer(command)).then((said) => process.connected && process.send?.(said))
  })
  process.on('disconnect', () => {
    turn = turn.then(leave)
  })
}
