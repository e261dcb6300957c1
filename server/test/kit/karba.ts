// The command karba in the test's own process: what it prints, and its exit code. A process of its own costs 0.15 to 0.4 s of CPU; only
// tests of exit codes, signals and real standard input start one (`spawnKarba` in process.ts).
import { Readable } from 'node:stream'
import { runProgram } from '../../src/cli/program.ts'
import type { Ran } from './process.ts'

let last: Promise<unknown> = Promise.resolve()

/** `input` is standard input. Commands run one after the other, because each has the process's environment and output to itself. */
export function runKarba(args: readonly string[], env: Record<string, string>, input = ''): Promise<Ran> {
  const ran = last.then(() => runAlone(args, env, input))
  last = ran.catch(() => {})
  return ran
}

async function runAlone(args: readonly string[], env: Record<string, string>, input: string): Promise<Ran> {
  const before = { env: process.env, argv: process.argv, exitCode: process.exitCode }
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor
  const stdout = capture(process.stdout)
  const stderr = capture(process.stderr)
  process.env = { PATH: process.env.PATH, ...env }
  process.argv = [process.execPath, 'karba', ...args]
  process.exitCode = undefined
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from(input === '' ? [] : [input]) })
  try {
    await runProgram()
    return { code: Number(process.exitCode ?? 0), stdout: stdout.end(), stderr: stderr.end() }
  } finally {
    stdout.end()
    stderr.end()
    Object.defineProperty(process, 'stdin', stdin)
    Object.assign(process, before)
  }
}

/** Collects text only: the test runner writes its reports to standard output as bytes. */
function capture(stream: NodeJS.WriteStream): { end(): string } {
  let text = ''
  const { write } = stream
  stream.write = ((chunk: string | Uint8Array, ...rest: []) => {
    if (typeof chunk !== 'string') return write.call(stream, chunk, ...rest)
    text += chunk
    return true
  }) as typeof write
  return {
    end: () => {
      stream.write = write
      return text
    },
  }
}
