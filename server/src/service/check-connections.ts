// Calls the networks of the operators file to see whether they can be used: the connector's own questions, and the certificate of the server.
// Moves no money, and shows no secret.
import { connect } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import type { Config } from '../config.ts'
import type { Random } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'
import type { CheckLine } from '../operators/connector.ts'
import { connectNetwork, operatorsFileOf } from './connect-operators.ts'
import type { FileConnection } from './operators-file.ts'
import { keepAliveClock } from './runtime.ts'

export interface CheckedConnection {
  environment: Environment
  name: string
  lines: CheckLine[]
}

const CONNECTED_WITHIN_MS = 10_000
/** Long enough to have it renewed, and to tell a network that wants to be told before. */
const CERTIFICATE_ENDS_SOON_MS = 21 * 86_400_000

/** All connections of the file, or the one of this name. */
export async function checkConnections(config: Config, random: Random, wanted?: string): Promise<CheckedConnection[]> {
  const { connections } = operatorsFileOf(config)
  const isWanted = ({ environment, name }: FileConnection): boolean =>
    wanted === undefined || wanted === name || wanted === `${environment}/${name}`
  const checked: CheckedConnection[] = []
  // One after the other: some networks count calls.
  for (const connection of connections.filter(isWanted)) {
    const { environment, name } = connection
    const deps = { config, clock: keepAliveClock, random, ownAddress: () => undefined }
    const { check, agent } = connectNetwork(deps, connection)
    try {
      const lines = await check()
      checked.push({ environment, name, lines: [await checkServer(connection), ...lines] })
    } finally {
      await agent.destroy()
    }
  }
  return checked
}

/** Whether the server is there; over https, also until when its certificate is good. */
function checkServer({ address, certificates }: FileConnection): Promise<CheckLine> {
  const { protocol, hostname, port } = new URL(address)
  const isHttps = protocol === 'https:'
  const about = isHttps ? `the certificate of ${hostname}` : `the server ${hostname}:${port || 80}`
  return new Promise((resolve) => {
    const socket = isHttps
      ? connectTls({ host: hostname, port: Number(port || 443), servername: hostname, ca: certificates })
      : connect({ host: hostname, port: Number(port || 80) })
    const end = (line: CheckLine): void => {
      cancel()
      socket.destroy()
      resolve(line)
    }
    const cancel = keepAliveClock.after(CONNECTED_WITHIN_MS, () =>
      end({ is: 'wrong', about, mend: 'it did not answer: is the address right, and is this machine allowed?' }),
    )
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end({ is: 'wrong', about, mend: `the connection failed (${error.code ?? error.message.slice(0, 80)})` }),
    )
    if (socket instanceof TLSSocket) socket.once('secureConnect', () => end(judgeCertificate(socket, about)))
    else socket.once('connect', () => end({ is: 'right', about: `${about}, without https` }))
  })
}

function judgeCertificate(socket: TLSSocket, about: string): CheckLine {
  const endsAt = Date.parse(socket.getPeerCertificate().valid_to)
  const day = new Date(endsAt).toISOString().slice(0, 10)
  if (endsAt - keepAliveClock.now() >= CERTIFICATE_ENDS_SOON_MS) return { is: 'right', about: `${about}, until ${day}` }
  return { is: 'wrong', about, mend: `it ends on ${day}: the network must renew it` }
}
