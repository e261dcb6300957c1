// The HTTP agent of webhooks, which protects against requests to private addresses (SSRF). It checks every new connection: the literal
// address, or all addresses that the name resolves to, before connecting; and the peer once connected, before a byte is sent. A name is
// resolved once and the socket gets the checked addresses, so that a second DNS answer cannot differ (DNS rebinding). Uses no proxy and
// follows no redirect.
import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Agent, type buildConnector } from 'undici'
import type { Clock } from '../domain/clock-and-random.ts'
import { AddressRefused, ANSWER_HEADERS_LIMIT_BYTES, ConnectionTooSlow } from './connection-faults.ts'
import { hostResolver, type Lookup } from './resolve-host.ts'
import { mayReach, type TargetRules } from './safe-address.ts'

export interface GuardedAgentDeps {
  clock: Clock
  rules: TargetRules
  /** For opening a connection: from the DNS lookup to the end of the TLS handshake. */
  timeoutMs: number
  lookup?: Lookup
}

/** Several merchants may share a host: one slow receiver must not use up its connections, and still there is a limit. */
const CONNECTIONS_PER_ORIGIN = 32

/** When to try a host's next address: five tries in ten seconds if its IPv6 is broken. Distant networks take more than Node's 250 ms. */
const NEXT_ADDRESS_AFTER_MS = 2_000

/** A DNS answer may hold 6,000 addresses, and checking them all kept the event loop busy for 0.5 s. More than these are never connected to. */
const MOST_ADDRESSES = 16

export function guardedAgent(deps: GuardedAgentDeps): Agent {
  return new Agent({
    connect: guardedConnector(deps),
    allowH2: false,
    pipelining: 1,
    connections: CONNECTIONS_PER_ORIGIN,
    maxHeaderSize: ANSWER_HEADERS_LIMIT_BYTES,
    // A receiver may ask for less and not for more: a connection that it keeps open costs us one too.
    keepAliveMaxTimeout: 30_000,
    // send.ts has one deadline for the whole attempt.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function guardedConnector(deps: GuardedAgentDeps) {
  const { clock, rules, timeoutMs, lookup = hostResolver(deps) } = deps
  const connector: buildConnector.connector = (target, callback) => {
    const deadline = new AbortController()
    const cancel = clock.after(timeoutMs, () => deadline.abort(new ConnectionTooSlow()))
    const tooSlow = new Promise<never>((_, reject) => {
      deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason))
    })
    // A DNS lookup may be shared with later attempts, or one that cannot be cancelled, so the deadline does not wait for its end.
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
  const addresses = isIP(host) === 0 ? (await lookup(host)).slice(0, MOST_ADDRESSES) : [host]
  if (addresses.length === 0 || !addresses.every((address) => mayReach(address, host, rules))) {
    throw new AddressRefused(host)
  }
  signal.throwIfAborted()
  const socket = await whenReady(
    connect({
      host,
      port: Number(target.port) || (secure ? 443 : 80),
      lookup: fixedLookup(addresses),
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
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED, set for something else, cannot turn it off.
    rejectUnauthorized: true,
  })
  return whenReady(tls, 'secureConnect', signal)
}

/** A DNS lookup for the socket that always answers with the checked addresses. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all: wantsAll }, callback) => {
    if (wantsAll) callback(null, all)
    else callback(null, all[0]?.address ?? '', all[0]?.family)
  }
}

async function whenReady<T extends Socket>(
  socket: T,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<T> {
  // Until undici listens for errors, a reset would be an unhandled error and end the process.
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
