// Karba as a separate process, for what only a process can show: signals, kill -9, two at once, a
// command's output.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { until, within } from './waiting.ts'

export const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url))
const CLI = fileURLToPath(new URL('../../src/cli/karba.ts', import.meta.url))

/** For a start, a stop or a command, which take a second on a quiet machine. */
const LONGEST_RUN_MS = 60_000

/** Lets the server listen on a free port of this machine; returns the port. */
export async function listenLocally(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** For a process that cannot choose a free port itself. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenLocally(server)
  server.close()
  await once(server, 'close')
  return port
}

export interface RunningServer {
  url: string
  printed(): string
  /** Resolves with its exit code; null when a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
  child: ChildProcess
}

/** Starts the server and waits until it reports that it is ready; log lines may have followed. */
export function startProcess(
  env: Record<string, string>,
  main = MAIN,
  flags: readonly string[] = [],
  openFiles?: number,
): Promise<RunningServer> {
  return start([...flags, main], env, /ready at (https?:\/\/\S+)[\s\S]*\n\n(\{.*\}\n)*$/, openFiles)
}

export function startSimulator(
  args: string[],
  env: Record<string, string>,
): Promise<RunningServer> {
  return start([CLI, 'simulator', ...args], env, /ready at (http:\/\/\S+)[\s\S]*\n$/)
}

/**
 * Node with these arguments, optionally under a limit on open files: a process can lower it for
 * itself and its exec.
 */
const commandOf = (args: string[], openFiles?: number): [command: string, args: string[]] =>
  openFiles === undefined
    ? [process.execPath, args]
    : ['sh', ['-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh', process.execPath, ...args]]

/** Its output, standard output and errors apart. */
function launch(
  args: string[],
  env: Record<string, string>,
  input: string,
  openFiles: number | undefined,
) {
  const child = spawn(...commandOf(args, openFiles), {
    env: cleanEnv(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A process that exits before it has read its input is no fault of the test.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const printed = { stdout: '', stderr: '', both: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      printed[name] += chunk
      printed.both += chunk
    })
  }
  return { child, printed }
}

async function start(
  args: string[],
  env: Record<string, string>,
  isReady: RegExp,
  openFiles?: number,
): Promise<RunningServer> {
  const { child, printed } = launch(args, env, '', openFiles)
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
  const ready = (): string | undefined => {
    if (hasEnded()) throw new Error(`it ended with ${child.exitCode ?? child.signalCode}`)
    return isReady.exec(printed.both)?.[1]
  }
  const url = await until('line that says it is ready', ready, LONGEST_RUN_MS).catch(
    (error: Error) => {
      child.kill('SIGKILL')
      throw new Error(`${args.join(' ')}: ${error.message}\n${printed.both}`, { cause: error })
    },
  )
  return {
    url,
    child,
    printed: () => printed.both,
    end: async (signal) => {
      if (hasEnded()) return child.exitCode
      const exited = once(child, 'exit')
      child.kill(signal)
      const [code] = await within(`end after ${signal}`, exited, LONGEST_RUN_MS)
      return code as number | null
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

/** `input` is its standard input. */
export function spawnKarba(
  args: string[],
  env: Record<string, string>,
  input = '',
  openFiles?: number,
): Promise<Ran> {
  return run([CLI, ...args], env, input, openFiles)
}

/** Ends a command that serves with a signal, once it has printed that it is ready. */
export async function spawnKarbaUntil(
  args: string[],
  env: Record<string, string>,
  isReady: RegExp,
): Promise<Ran> {
  const { child, printed } = launch([CLI, ...args], env, '', undefined)
  const closed = once(child, 'close')
  await until(
    `ready ${args.join(' ')}`,
    () => isReady.test(printed.both) || child.exitCode !== null,
    LONGEST_RUN_MS,
  )
  child.kill('SIGTERM')
  const [code] = (await within(`end of ${args.join(' ')}`, closed, LONGEST_RUN_MS)) as [
    number | null,
  ]
  const { stdout, stderr } = printed
  return { code, stdout, stderr }
}

export interface RunningCommand {
  child: ChildProcess
  printed: { stdout: string; stderr: string; both: string }
  /**
   * Resolves with its exit code, once all of its output has been read; null when a signal ended it.
   */
  closed: Promise<number | null>
}

/** A command that the test stops or kills while it works. */
export function startKarba(args: string[], env: Record<string, string>): RunningCommand {
  const { child, printed } = launch([CLI, ...args], env, '', undefined)
  const closed = within(`end of ${args.join(' ')}`, once(child, 'close'), LONGEST_RUN_MS)
  return { child, printed, closed: closed.then(([code]) => code as number | null) }
}

async function run(
  args: string[],
  env: Record<string, string>,
  input = '',
  openFiles?: number,
): Promise<Ran> {
  const { child, printed } = launch(args, env, input, openFiles)
  const closed = within(`end of ${args.join(' ')}`, once(child, 'close'), LONGEST_RUN_MS)
  const [code] = (await closed.finally(() => child.kill('SIGKILL'))) as [number | null]
  const { stdout, stderr } = printed
  return { code, stdout, stderr }
}

/**
 * The test run's own variables would change the process's behaviour. It gets a path, the test's
 * variables, and the compile cache, so that its first file is not compiled again: 0.40 s of CPU for
 * a command instead of 0.47.
 */
function cleanEnv(env: Record<string, string>): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }), ...env }
}
