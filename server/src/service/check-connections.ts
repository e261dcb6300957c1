// Calls the networks of the operators file to see whether they can be used: the connector's own questions, and the certificate of the server.
// Moves no money, and shows no secret.
import { connect as connectTls } from 'node:tls'
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

const CERTIFICATE_WITHIN_MS = 10_000
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
      checked.push({ environment, name, lines: [...(await checkCertificate(connection)), ...lines] })
    } finally {
      await agent.destroy()
    }
  }
  return checked
}

async function checkCertificate({ address, certificates }: FileConnection): Promise<CheckLine[]> {
  const { protocol, hostname, port } = new URL(address)
  if (protocol !== 'https:') return [{ is: 'not_known', about: 'the certificate', mend: 'the address has no https' }]
  const about = `the certificate of ${hostname}`
  return new Promise((resolve) => {
    const socket = connectTls({
      ...{ host: hostname, port: Number(port || 443), servername: hostname },
      ...(certificates !== undefined && { ca: certificates }),
    })
    const end = (line: CheckLine): void => {
      cancel()
      socket.destroy()
      resolve([line])
    }
    const cancel = keepAliveClock.after(CERTIFICATE_WITHIN_MS, () =>
      end({
        is: 'wrong',
        about,
        mend: 'the server did not answer: is the address right, and is this machine allowed?',
      }),
    )
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end({ is: 'wrong', about, mend: `the connection failed (${error.code ?? error.message.slice(0, 80)})` }),
    )
    socket.once('secureConnect', () => {
      const endsAt = Date.parse(socket.getPeerCertificate().valid_to)
      const day = new Date(endsAt).toISOString().slice(0, 10)
      if (endsAt - keepAliveClock.now() < CERTIFICATE_ENDS_SOON_MS)
        end({ is: 'wrong', about, mend: `it ends on ${day}: the network must renew it` })
      else end({ is: 'right', about: `${about}, until ${day}` })
    })
  })
}
