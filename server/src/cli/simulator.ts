// karba simulator: runs the simulated network as a process of its own, with the settings of the service whose KARBA_SIMULATOR_URL points to
// it; or with --network, a real network's API with its wire form and faults, for whoever develops against it. Serves until a signal stops it.
import { once } from 'node:events'
import { Command } from 'commander'
import { type Config, integer } from '../config.ts'
import { NETWORK_NAMES, openNetwork } from '../service/open-network.ts'
import { callBackOverHttp, openSimulator, simulatorToken } from '../service/open-simulator.ts'
import { realRandom } from '../service/real-random.ts'
import { realClock } from '../service/runtime.ts'
import { argument } from './arguments.ts'
import { CommandFailed } from './command-failed.ts'
import { withRuntime } from './with-runtime.ts'

interface Options {
  port: number
  callbacksTo?: string
  network?: string
  decideAfter: number
}

export function simulatorCommand(): Command {
  return new Command('simulator')
    .description('Runs the simulated network as a process of its own. KARBA_SIMULATOR_URL leads the service to it.')
    .option('--network <name>', `a real network’s API instead: ${NETWORK_NAMES.join(', ')}`)
    .option('--port <number>', 'the port to listen on; 0 takes any free one', argument(integer(0, 65_535)), 4555)
    .option(
      '--callbacks-to <url>',
      'where callbacks go; by default PUBLIC_URL or this machine’s PORT',
      argument(webAddress),
    )
    .option(
      '--decide-after <ms>',
      'how long payers of --network take to decide',
      argument(integer(0, 3_600_000)),
      2_000,
    )
    .addHelpText(
      'after',
      `
With --network it needs no database: any client of that network can be pointed at it, with only its base address
changed. GET /control lists credentials, test numbers and faults.

Examples:
  npm run -s karba -- simulator --port 4555
  npm run -s karba -- simulator --network mtn-momo --port 4556`,
    )
    .action(serve)
}

const serve = (options: Options): Promise<void> =>
  options.network === undefined ? serveSimulated(options) : serveNetwork(options.network, options)

async function serveNetwork(name: string, { port, callbacksTo, decideAfter }: Options): Promise<void> {
  const own = { name, port, decideAfterMs: decideAfter, callbackUrl: callbacksTo }
  // Its timers do not keep the process alive: callbacks wait for minutes, and the server alone must end the process with its end.
  const opened = await openNetwork({ ...own, clock: realClock, random: realRandom }).catch((error) =>
    Promise.reject(asCommandFailed(error, port)),
  )
  if (opened === undefined)
    throw new CommandFailed(`There is no network ${name}: choose from ${NETWORK_NAMES.join(', ')}.`)
  const { network, url } = opened
  const credentials = Object.entries(network.credentials).map(([what, value]) => `  ${what}: ${value}`)
  const stopped = stopSignal()
  process.stdout.write(`${name} ready at ${url}\n${credentials.join('\n')}\nControl: ${url}/control\n`)
  await stopped
  await opened.close()
}

async function serveSimulated({ port, callbacksTo }: Options): Promise<void> {
  await withRuntime(async ({ config, db, clock, master }) => {
    const address = callbacksTo === undefined ? addressOf(config) : new URL(callbacksTo).origin
    const token = simulatorToken(master)
    const { callBack, close } = callBackOverHttp(address)
    const deps = { config, db, clock, token, callBack, port, keepsAlive: true }
    const simulator = await openSimulator(deps).catch((error) => Promise.reject(asCommandFailed(error, port)))
    const stopped = stopSignal()
    process.stdout.write(`simulated network ready at ${simulator.url} (callbacks go to ${address})\n`)
    await stopped
    await close()
    await simulator.close()
  })
}

/** Called before the line that says it is ready: a signal right after that line would kill the process. */
const stopSignal = (): Promise<unknown> =>
  Promise.race(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'].map((signal) => once(process, signal)))

function webAddress(given: string): string {
  if (!/^https?:$/.test(URL.parse(given)?.protocol ?? '')) throw new Error('must be an http or https address')
  return given
}

function addressOf({ publicUrl, port }: Config): string {
  if (publicUrl !== '') return publicUrl
  if (port === 0) throw new CommandFailed('PORT is 0, so the service may be anywhere: say where with --callbacks-to.')
  return `http://127.0.0.1:${port}`
}

function asCommandFailed(error: unknown, port: number): unknown {
  if ((error as { code?: string }).code !== 'EADDRINUSE') return error
  return new CommandFailed(`Port ${port} is already in use. Stop what uses it, or choose another with --port.`)
}
