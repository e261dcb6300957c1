// The addresses of a webhook's host name. Merchants choose these names, and a name whose DNS servers never answer must hold up nothing else:
// getaddrinfo runs on the few threads that files, operators' names and the database's name need too. So names are resolved by c-ares, which
// needs no thread. Decides nothing: guarded-agent.ts checks every address.
import { lookup, Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../domain/clock-and-random.ts'
import { isListed, type TargetRules } from './safe-address.ts'

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

/** One DNS server is asked twice within 4.5 seconds, so that time is left to connect when one kind of address gets no answer. */
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
  /** Attempts that begin together share a question: a queue sends eight at once to the same host. */
  const underWay = new Map<string, Promise<readonly string[]>>()

  async function ask(host: string): Promise<readonly string[]> {
    // A new one each time: it reads the system's DNS servers, which change while a service runs, and it can be cancelled by itself.
    const resolver = new Resolver(QUESTIONS)
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = clock.after(timeoutMs, () => resolver.cancel())
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    cancel()
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    const faults = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
    // Its codes are those of sockets in part, such as ECONNREFUSED for a DNS server that is down. getaddrinfo's say what failed.
    const cause = faults.find(({ code }) => !NO_ADDRESSES.includes(code))
    const code = cause === undefined ? 'ENOTFOUND' : 'EAI_AGAIN'
    throw Object.assign(new Error(`${host} has no addresses`, { cause: cause ?? faults[0] }), { code })
  }

  return (host) => {
    // The settings or the machine's own file name these, and DNS need not know them.
    if (isListed(host, rules) || isInHostsFile(host)) return systemLookup(host)
    const asked = underWay.get(host) ?? ask(host).finally(() => underWay.delete(host))
    underWay.set(host, asked)
    return asked
  }
}

const systemLookup: Lookup = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

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
