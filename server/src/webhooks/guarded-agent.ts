// The HTTP agent of webhooks, which protects against requests to private addresses (SSRF). It
// checks every new connection: the literal address, or all addresses that the name resolves to,
// before connecting; and the peer once connected, before a byte is sent. A name is resolved once
// and the socket gets the checked addresses, so that a second DNS answer cannot differ (DNS
// rebinding). Uses no proxy and follows no redirect.
import { lookup, Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { Agent, type buildConnector } from 'undici'
import type { Clock } from '../domain/clock-and-random.ts'
import { AddressRefused, ANSWER_HEADERS_LIMIT_BYTES, ConnectionTooSlow } from './failure-text.ts'
import { isListed, mayReach, type TargetRules } from './safe-address.ts'

export interface GuardedAgentDeps {
  clock: Clock
  rules: TargetRules
  /** For opening a connection: from the DNS lookup to the end of the TLS handshake. */
  timeoutMs: number
  lookup?: Lookup
}

/** Several merchants may share a host: one slow receiver must not use up its connections. */
const CONNECTIONS_PER_ORIGIN = 32

/** When to try a host's next address: distant networks take more than Node's 250 ms. */
const NEXT_ADDRESS_AFTER_MS = 2_000

/** Checking the 6,000 addresses that a DNS answer may hold blocked the event loop for 0.5 s. */
const MOST_ADDRESSES = 16

export function guardedAgent(deps: GuardedAgentDeps): Agent {
  return new Agent({
    connect: guardedConnector(deps),
    allowH2: false,
    pipelining: 1,
    connections: CONNECTIONS_PER_ORIGIN,
    maxHeaderSize: ANSWER_HEADERS_LIMIT_BYTES,
    // A receiver may ask for less and not for more: a connection that it keeps open costs us one
    // too.
    keepAliveMaxTimeout: 30_000,
    // send.ts has one deadline for the whole attempt.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function guardedConnector(deps: GuardedAgentDeps): buildConnector.connector {
  const { clock, rules, timeoutMs, lookup = hostResolver(deps) } = deps
  return (target, callback) => {
    const deadline = new AbortController()
    const cancel = clock.after(timeoutMs, () => deadline.abort(new ConnectionTooSlow()))
    const tooSlow = new Promise<never>((_, reject) => {
      deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason))
    })
    // A DNS lookup may be shared, or one that cannot be cancelled, so the deadline does not wait
    // for its end.
    Promise.race([open(target, { rules, lookup, signal: deadline.signal }), tooSlow])
      .finally(cancel)
      .then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      )
  }
}

type Opening = { rules: TargetRules; lookup: Lookup; signal: AbortSignal }

async function open(
  target: buildConnector.Options,
  { rules, lookup, signal }: Opening,
): Promise<Socket> {
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

// The addresses of a webhook's host name. Merchants choose these names, and a name whose DNS
// servers never answer must not block anything else: getaddrinfo runs on the few threads that files
// and the database's name need too. So c-ares resolves them, which needs no thread. Decides
// nothing: the agent checks every address.

/** All addresses of a host name. */
export type Lookup = (host: string) => Promise<readonly string[]>

export interface HostResolverDeps {
  clock: Clock
  rules: TargetRules
  /** When a question is given up. */
  timeoutMs: number
  /** Instead of the system's DNS servers. */
  servers?: readonly string[]
  hostsFile?: string
}

/** Two tries of one DNS server take 4.5 seconds, which leaves time to connect. */
const QUESTIONS = { timeout: 1_500, tries: 2 }
const NO_ADDRESSES = ['ENOTFOUND', 'ENODATA', 'EBADNAME']
const HOSTS_FILE =
  process.platform === 'win32'
    ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts'
const HOSTS_FILE_READ_EVERY_MS = 10_000

export function hostResolver(deps: HostResolverDeps): Lookup {
  const { clock, rules, timeoutMs, servers, hostsFile = HOSTS_FILE } = deps
  const isInHostsFile = hostsFileNames(clock, hostsFile)
  /**
   * Attempts that begin together share a question: a queue sends eight at once to the same host.
   */
  const underWay = new Map<string, Promise<readonly string[]>>()

  async function ask(host: string): Promise<readonly string[]> {
    // A new one each time: it reads the system's DNS servers, which may change, and is cancelled
    // alone.
    const resolver = new Resolver(QUESTIONS)
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = clock.after(timeoutMs, () => resolver.cancel())
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    cancel()
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    )
    if (addresses.length > 0) return addresses
    const faults = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason] : [],
    )
    // Its codes are in part those of sockets, such as ECONNREFUSED for a DNS server. getaddrinfo's
    // say what failed.
    const cause = faults.find(({ code }) => !NO_ADDRESSES.includes(code))
    const code = cause === undefined ? 'ENOTFOUND' : 'EAI_AGAIN'
    throw Object.assign(new Error(`${host} has no addresses`, { cause: cause ?? faults[0] }), {
      code,
    })
  }

  return (host) => {
    // The settings or the machine's own file name these, and DNS need not know them.
    if (isListed(host, rules) || isInHostsFile(host)) return systemLookup(host)
    const asked = underWay.get(host) ?? ask(host).finally(() => underWay.delete(host))
    underWay.set(host, asked)
    return asked
  }
}

const systemLookup: Lookup = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address)

function hostsFileNames(clock: Clock, file: string): (host: string) => boolean {
  let names = new Set<string>()
  let readAt = Number.NEGATIVE_INFINITY
  return (host) => {
    if (clock.now() - readAt >= HOSTS_FILE_READ_EVERY_MS) {
      readAt = clock.now()
      names = readNames(file)
    }
    return names.has(host)
  }
}

function readNames(file: string): Set<string> {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    // A machine without the file, or without leave to read it, has no such names.
  }
  const lines = text.toLowerCase().split('\n')
  return new Set(lines.flatMap((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1)))
}
