// The command line of the simulators: npm run simulator -- mtn-momo --port 4556
import { parseArgs } from 'node:util'
import { CannotServe, NETWORK_NAMES, serveNetwork } from './simulators.ts'

const USAGE = `Usage: npm run simulator -- <network> [--port 4556] [--callbacks-to url] [--decide-after ms]
Networks: ${NETWORK_NAMES.join(', ')}
`

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '4556' },
      'callbacks-to': { type: 'string' },
      'decide-after': { type: 'string', default: '2000' },
    },
  })
  const [network = ''] = positionals
  const [port, decideAfterMs] = [Number(values.port), Number(values['decide-after'])]
  const callbackUrl = values['callbacks-to']
  const isRight = Number.isInteger(port) && port >= 0 && port <= 65_535 && decideAfterMs >= 0
  if (!isRight || (callbackUrl !== undefined && !URL.canParse(callbackUrl)))
    throw new CannotServe('Wrong argument.')
  await serveNetwork({ network, port, decideAfterMs, callbackUrl })
} catch (error) {
  const isMistake =
    error instanceof CannotServe || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  if (!isMistake) throw error
  process.stderr.write(`${(error as Error).message}\n${USAGE}`)
  process.exitCode = 1
}
