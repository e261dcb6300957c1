// karba simulator: runs the simulated network as a process of its own, with the settings of the service whose KARBA_SIMULATOR_URL points to
// it. Serves until SIGTERM or SIGINT.
import { once } from 'node:events'
import { Command } from 'commander'
import type { Config } from '../config.ts'
import { openSimulator, simulatorToken } from '../service/open-simulator.ts'
import { httpUrl, integer } from '../service/setting-readers.ts'
import { argument } from './arguments.ts'
import { CommandFailed } from './command-failed.ts'
import { withRuntime } from './with-runtime.ts'

interface Options {
  port: number
  callbacksTo?: string
}

export function simulatorCommand(): Command {
  return new Command('simulator')
    .description('Runs the simulated network as a process of its own. KARBA_SIMULATOR_URL leads the service to it.')
    .option('--port <number>', 'the port to listen on; 0 takes any free one', argument(integer(0, 65_535)), 4555)
    .option('--callbacks-to <url>', 'the service’s address; PUBLIC_URL or this machine’s PORT', argument(httpUrl))
    .addHelpText('after', '\nExample:\n  npm run -s karba -- simulator --port 4555')
    .action(serve)
}

async function serve({ port, callbacksTo }: Options): Promise<void> {
  await withRuntime(async ({ config, db, clock, master }) => {
    const address = callbacksTo ?? addressOf(config)
    const token = simulatorToken(master)
    const deps = { config, db, clock, token, callbacksTo: () => address, port, keepsAlive: true }
    const simulator = await openSimulator(deps).catch((error) => Promise.reject(asCommandFailed(error, port)))
    const stop = Promise.race(['SIGTERM', 'SIGINT'].map((signal) => once(process, signal)))
    process.stdout.write(`simulated network ready at ${simulator.url} (callbacks go to ${address})\n`)
    await stop
    await simulator.close()
  })
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
