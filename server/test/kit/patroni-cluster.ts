// A cluster of tools/cluster/cluster.ts for tests: its own process, which takes everything down
// when the test process ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { within } from './waiting.ts'

const SCRIPT = fileURLToPath(new URL('../../../tools/cluster/cluster.ts', import.meta.url))
const PROGRAMS = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/lib/postgresql']
const PATIENCE_MS = 150_000

/** Without the packages the tests are skipped, except in CI. */
export const isPatroniMissing =
  PROGRAMS.some((path) => !existsSync(path)) && process.env.CI === undefined

export type PatroniCluster = Awaited<ReturnType<typeof startPatroniCluster>>

export async function startPatroniCluster() {
  // Detached: Ctrl-C in a terminal reaches every process of the group, and it must outlive it for a
  // moment.
  const child = spawn(process.execPath, [SCRIPT], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (what: string): Promise<string> => {
    const { value, done } = await within(what, lines.next(), PATIENCE_MS)
    if (done === true) throw new Error(`the cluster ended before ${what}`)
    return value
  }
  const url = (await nextLine('start of the cluster')).replace('DATABASE_URL=', '')
  return {
    /** With all hosts. */
    url,
    urlOf: (node: string): string =>
      url.replace(/@.*\//, `@${hostsOf(url)[Number(node.at(-1)) - 1]}/`),
    async command(line: string): Promise<string> {
      child.stdin.write(`${line}\n`)
      const answer = await nextLine(`answer to "${line}"`)
      if (!answer.startsWith('ok')) throw new Error(`${line}: ${answer}`)
      return answer.slice('ok '.length)
    },
    async stop(): Promise<void> {
      child.stdin.end()
      await within('end of the cluster', ended, PATIENCE_MS)
    },
  }
}

const hostsOf = (url: string): string[] => /@(.*)\//.exec(url)?.[1]?.split(',') ?? []
