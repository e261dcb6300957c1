// The command karba in the test's own process: its output and its exit code. A separate process
// costs 0.15 to 0.4 s of CPU; only tests of signals, file modes and real standard input start one.
import assert from 'node:assert/strict'
import { Readable, Writable } from 'node:stream'
import { runKarba as run } from '../../src/cli/run-karba.ts'
import type { Ran } from './process.ts'

/** `input` is standard input. */
export async function runKarba(
  args: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<Ran> {
  const printed = { stdout: '', stderr: '' }
  const collect = (name: keyof typeof printed): Writable =>
    new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        printed[name] += chunk
        done()
      },
    })
  const stdin = Readable.from(input === '' ? [] : [input])
  const code = await run(args, { stdin, stdout: collect('stdout'), stderr: collect('stderr'), env })
  return { code, ...printed }
}

/** The command on one store, with its output in the forms that tests read. */
export function commandsOn(env: Record<string, string>) {
  const karba = (...args: string[]): Promise<Ran> => runKarba(args, env)
  return {
    karba,
    // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
    async json(...args: string[]): Promise<any> {
      const { code, stdout, stderr } = await karba(...args, '--json')
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
      return JSON.parse(stdout)
    },
    /** Exits with 1, and says why on stderr alone. */
    async fails(says: RegExp, ...args: string[]): Promise<void> {
      const ran = await karba(...args)
      assert.deepEqual([ran.code, ran.stdout], [1, ''])
      assert.match(ran.stderr, says)
    },
  }
}
