// The only way out for webhooks: an agent whose every new connection is checked three times. The literal or all that the name
// resolves to, before connecting; and the peer once connected, before a byte is sent. A name is resolved once and the socket gets
// the checked addresses, so that DNS cannot change its mind in between. Knows no proxy, and follows no redirect.
import { lookup as resolve } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Agent, type buildConnector } from 'undici'
import type { Clock } from '../domain/clock-and-random.ts'
import { mayReach, type TargetRules } from './safe-address.ts'

/** All addresses of a host name. */
type Lookup = (host: string) => Promise<readonly string[]>

export interface GuardedAgentDeps {
  clock: Clock
  rules: TargetRules
  /** For a connection: from asking DNS to the end of the TLS handshake. */
  timeoutMs: number
  lookup?: Lookup
}

/** Said to the merchant, so it does not tell what a name of our own network resolves to. */
export class AddressRefused extends Error {
  override name = 'AddressRefused'

  constructor(host: string) {
    super(isIP(host) === 0 ? `${host} does not lead to a public address.` : `${host} is not a public address.`)
  }
}

export class ConnectionTooSlow extends Error {
  override name = 'ConnectionTooSlow'
}

/** Other merchants may live behind the same host: room for more than the one that keeps us waiting, and still an end. */
const CONNECTIONS_PER_ORIGIN = 32

/** undici caps the headers of an answer at this. */
export const ANSWER_HEADERS_LIMIT_BYTES = 16 * 1024

/** A host with IPv6 that does not work has five tries in ten seconds, and distant networks take more than Node's 250 ms. */
const NEXT_ADDRESS_AFTER_MS = 2_000

const systemLookup: Lookup = async (host) => (await resolve(host, { all: true })).map(({ address }) => address)

export function guardedAgent(deps: GuardedAgentDeps): Agent {
  return new Agent({
    connect: guardedConnector(deps),
    allowH2: false,
    pipelining: 1,
    connections: CONNECTIONS_PER_ORIGIN,
    maxHeaderSize: ANSWER_HEADERS_LIMIT_BYTES,
    // A receiver may ask for less, and not for more: what it keeps open is ours to keep too.
    keepAliveMaxTimeout: 30_000,
    // The deadline is the sender's, and one for all.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function guardedConnector({ clock, rules, timeoutMs, lookup = systemLookup }: GuardedAgentDeps) {
  const connector: buildConnector.connector = (target, callback) => {
    const deadline = new AbortController()
    const cancel = clock.after(timeoutMs, () => deadline.abort(new ConnectionTooSlow()))
    const tooSlow = new Promise<never>((_, reject) => {
      deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason))
    })
    // A lookup cannot be called off, so its end is not waited for.
    Promise.race([open(target, { rules, lookup, signal: deadline.signal }), tooSlow])
      .finally(cancel)
      .then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      )
  }
  return connector
}

interface Opening {
  rules: TargetRules
  lookup: Lookup
  signal: AbortSignal
}

async function open(target: buildConnector.Options, { rules, lookup, signal }: Opening): Promise<Socket> {
  // undici has taken the brackets off an IPv6 literal.
  const host = target.hostname
  const secure = target.protocol === 'https:'
  const addresses = isIP(host) === 0 ? await lookup(host) : [host]
  if (addresses.length === 0 || !addresses.every((address) => mayReach(address, host, rules))) {
    throw new AddressRefused(host)
  }
  signal.throwIfAborted()
  const socket = await ready(
    connect({
      host,
      port: Number(target.port) || (secure ? 443 : 80),
      lookup: answering(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      noDelay: true,
      keepAlive: true,
    }),
    'connect',
    signal,
  )
  if (!mayReach(socket.remoteAddress ?? '', host, rules)) {
    socket.destroy()
    throw new AddressRefused(host)
  }
  if (!secure) return socket
  const tls = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
    // Not left to NODE_TLS_REJECT_UNAUTHORIZED, which somebody set for something else.
    rejectUnauthorized: true,
  })
  return ready(tls, 'secureConnect', signal)
}

/** Stands in for DNS inside the socket: the answer that was checked, and no other. */
function answering(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all: wantsAll }, callback) => {
    if (wantsAll) callback(null, all)
    else callback(null, all[0]?.address ?? '', all[0]?.family)
  }
}

async function ready<T extends Socket>(socket: T, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<T> {
  // Between this and the moment undici listens, a reset would find nobody and end the process.
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
