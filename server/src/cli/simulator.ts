// karba simulator: runs the simulated network as a separate process, to which KARBA_SIMULATOR_URL
// of a service points. With --network it runs a simulator of a real network instead (simulators/).
// Serves until a signal stops it.
import { once } from 'node:events'
import { type Config, integer } from '../config.ts'
import { callBackOverHttp, openSimulator, simulatorToken } from '../service/open-simulator.ts'
import { argument } from './arguments.ts'
import { type Cli, CommandFailed, KarbaCommand } from './cli.ts'
import { networkSimulators } from './network-simulators.ts'

type Options = {
  port: number
  callbacksTo?: string
  network?: string
  decideAfter: number
}

export function simulatorCommand(cli: Cli): KarbaCommand {
  return new KarbaCommand('simulator')
    .description(
      'Runs the simulated network as a separate process. KARBA_SIMULATOR_URL points the service to it.',
    )
    .option('--network <name>', 'a real network’s API instead, such as mtn-momo')
    .option(
      '--port <number>',
      'the port to listen on; 0 takes any free one',
      argument(integer(0, 65_535)),
      4555,
    )
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
With --network it needs the simulators of a clone of the repository and no database: any client of that network can be pointed at it, with only its base address
changed. GET /control lists credentials, test numbers and faults.`,
    )
    .examples('simulator --port 4555', 'simulator --network mtn-momo --port 4556')
    .action(cli.action(serve))
}

const serve = (cli: Cli, options: Options): Promise<void> =>
  options.network === undefined
    ? serveSimulated(cli, options)
    : serveRealNetwork(options.network, options)

async function serveRealNetwork(
  network: string,
  { port, callbacksTo, decideAfter }: Options,
): Promise<void> {
  const { CannotServe, serveNetwork } = await networkSimulators()
  try {
    await serveNetwork({ network, port, decideAfterMs: decideAfter, callbackUrl: callbacksTo })
  } catch (error) {
    throw error instanceof CannotServe ? new CommandFailed(error.message) : error
  }
}

async function serveSimulated(cli: Cli, { port, callbacksTo }: Options): Promise<void> {
  await cli.withRuntime(async ({ config, db, clock, master }) => {
    const address = callbacksTo === undefined ? addressOf(config) : new URL(callbacksTo).origin
    const token = simulatorToken(master)
    const { callBack, close } = callBackOverHttp(address)
    const deps = { config, db, clock, token, callBack, port, keepsAlive: true }
    const simulator = await openSimulator(deps).catch((error) =>
      Promise.reject(asCommandFailed(error, port)),
    )
    const stopped = stopSignal()
    cli.terminal.stdout.write(
      `simulated network ready at ${simulator.url} (callbacks go to ${address})\n`,
    )
    await stopped
    await close()
    await simulator.close()
  })
}

/**
 * Called before the line that says it is ready: a signal right after that line would kill the
 * process.
 */
const stopSignal = (): Promise<unknown> =>
  Promise.race(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'].map((signal) => once(process, signal)))

function webAddress(given: string): string {
  if (!/^https?:$/.test(URL.parse(given)?.protocol ?? ''))
    throw new Error('must be an http or https address')
  return given
}

function addressOf({ publicUrl, port }: Config): string {
  if (publicUrl !== '') return publicUrl
  if (port === 0)
    throw new CommandFailed('PORT is 0: give the address of the service with --callbacks-to.')
  return `http://127.0.0.1:${port}`
}

function asCommandFailed(error: unknown, port: number): unknown {
  if ((error as { code?: string }).code !== 'EADDRINUSE') return error
  return new CommandFailed(
    `Port ${port} is already in use. Stop what uses it, or choose another with --port.`,
  )
}
