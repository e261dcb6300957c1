// Karba as a process of its own, for what only a process can show: signals, kill -9, two at once, what a command prints.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const CLI = fileURLToPath(new URL('../../src/cli/karba.ts', import.meta.url))

export interface RunningServer {
  url: string
  /** Everything it has printed so far. */
  printed(): string
  /** Resolves with its exit code; null when a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
  child: ChildProcess
}

/** Starts the server and waits until it says that it is ready. Its log is its own business: stdout is read to the end. */
export function startProcess(env: Record<string, string>): Promise<RunningServer> {
  return start([MAIN], env, /ready at (http:\/\/\S+)[\s\S]*\n\n$/)
}

/** Starts the simulated network as a process of its own and waits for its one line. */
export function startSimulator(args: string[], env: Record<string, string>): Promise<RunningServer> {
  return start([CLI, 'simulator', ...args], env, /ready at (http:\/\/\S+).*\n$/)
}

/** Starts `karba listen` and waits until it follows, or until it says what the test waits for. */
export function startListen(
  args: string[],
  env: Record<string, string>,
  isReady = / goes to (http:\/\/\S+)[\s\S]*\n\n/,
): Promise<RunningServer> {
  return start([CLI, 'listen', ...args], env, isReady)
}

async function start(args: string[], env: Record<string, string>, isReady: RegExp): Promise<RunningServer> {
  const child = spawn(process.execPath, args, { env: cleanEnv(env), stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  const ready = new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      printed += chunk.toString()
      const address = isReady.exec(printed)?.[1]
      if (address !== undefined) resolve(address)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${printed}`)))
  })
  const url = await ready
  return {
    url,
    child,
    printed: () => printed,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const exited = once(child, 'exit')
      child.kill(signal)
      return (await exited)[0] as number | null
    },
  }
}

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

export function runServer(env: Record<string, string>): Promise<Ran> {
  return run([MAIN], env)
}

/** `input` is what it reads from standard input. */
export function runKarba(args: string[], env: Record<string, string>, input = ''): Promise<Ran> {
  return run([CLI, ...args], env, input)
}

async function run(args: string[], env: Record<string, string>, input = ''): Promise<Ran> {
  const child = spawn(process.execPath, args, { env: cleanEnv(env), stdio: ['pipe', 'pipe', 'pipe'] })
  // Whoever ends before it has read everything is no fault of the test's.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

/** The test run's own variables would change what the process does: it gets a path and what the test says. */
const cleanEnv = (env: Record<string, string>): Record<string, string> => ({ PATH: process.env.PATH ?? '', ...env })
