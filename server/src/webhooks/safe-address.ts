// Where webhooks may go: to public addresses, and to what the settings list by name. A merchant chooses the target, so every other
// address is one of our own house or its neighbours. Decides and never connects: guarded-agent.ts asks here for every connection.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { UrlFault } from '../domain/refusal.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A range of addresses, or a host name, which then may lead anywhere. */
export type AllowedTarget = { range: [Address, number] } | { host: string }

export interface TargetRules {
  allowPlainHttp: boolean
  allowed: readonly AllowedTarget[]
}

const NO_TARGETS = 'must be a list like 127.0.0.0/8,::1,localhost: addresses, ranges and host names'

export const LONGEST_URL = 2_048

/** Names that lead nowhere but into the house, whatever the resolver says of them today. */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/

/** All that IANA has given out for the public; outside of it ipaddr.js would call `::127.0.0.1` and `4000::` unicast. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** RFC 6052: how a network without IPv4 writes every IPv4 address. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Public by its range, but on Azure it is the host of one's own machine, which hands out its secrets. */
const AZURE_HOST = '168.63.129.16'

/** Throws a sentence's second half, as the readers of config.ts do. */
export function readAllowedTargets(text: string): AllowedTarget[] {
  const entries = text.split(',').map((entry) => entry.trim())
  return entries.filter((entry) => entry !== '').map(readAllowedTarget)
}

function readAllowedTarget(entry: string): AllowedTarget {
  const [address = '', bits, ...more] = entry.split('/')
  if (isIP(address) !== 0 && !address.includes('%') && more.length === 0) {
    const ip = parse(address)
    const most = ip.kind() === 'ipv4' ? 32 : 128
    if (bits === undefined) return { range: [ip, most] }
    if (/^\d{1,3}$/.test(bits) && Number(bits) <= most) return { range: [ip, Number(bits)] }
  } else if (/^[^\s/?#@:[\]\\%*]+$/.test(entry)) {
    const host = hostOf(URL.parse(`https://${entry}/`))
    // What turns into an address on the way was a mistake: `127.1` would look like a name and allow nothing.
    if (host !== undefined && isIP(host) === 0) return { host }
  }
  throw new Error(`${NO_TARGETS}; ${JSON.stringify(entry)} is none of these`)
}

/** The address in the answer is the one to call: it is written canonically. */
export function checkTarget(text: string, rules: TargetRules): { url: URL } | { fault: UrlFault } {
  if (text.length > LONGEST_URL) return { fault: 'too_long' }
  // The URL parser drops or turns what stands for nothing, and the next parser may not: one reading for everybody.
  if (/[\s\\\p{Cc}]/u.test(text)) return { fault: 'has_spaces' }
  if (!/^https?:\/\/[^/]/i.test(text)) return { fault: 'not_complete' }
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return { fault: 'has_user_name' }
  if (text.includes('#')) return { fault: 'has_fragment' }
  const url = URL.parse(text)
  const host = hostOf(url)
  if (url === null || host === undefined) return { fault: 'host_not_readable' }
  const listed = isListed(host, rules)
  if (!listed && isIP(host) === 0 && (LOCAL_NAME.test(host) || !host.includes('.'))) return { fault: 'host_not_public' }
  if (isIP(host) !== 0 && !mayReach(host, host, rules)) return { fault: 'address_not_public' }
  if (url.protocol === 'http:' && !listed && !rules.allowPlainHttp) return { fault: 'not_https' }
  if (isIP(host) === 0) url.hostname = host
  return { url }
}

/** Whether a connection for `host` may end at `address`. Asked for the literal, for each resolved address and for the peer. */
export function mayReach(address: string, host: string, rules: TargetRules): boolean {
  // An address with a zone names one of our own network cards.
  if (isIP(address) === 0 || address.includes('%')) return false
  // A listed name vouches for whatever it leads to, a listed address for itself alone.
  const vouched = isIP(host) === 0 && isListed(host, rules)
  return vouched || isListed(address, rules) || isPublic(parse(address))
}

/** By name, or by an address within a range: nothing is resolved here. */
function isListed(host: string, { allowed }: TargetRules): boolean {
  if (isIP(host) === 0) return allowed.some((target) => 'host' in target && target.host === host)
  const written = parse(host)
  return [written, unwrap(written)].some((ip) =>
    allowed.some((target) => 'range' in target && ip.kind() === target.range[0].kind() && ip.match(target.range)),
  )
}

/** In the spelling of URLs first: ipaddr.js takes `::1.2.3.4`, as resolvers write `::102:304`, for `::ffff:1.2.3.4`. */
function parse(address: string): Address {
  return ipaddr.parse(isIP(address) === 6 ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : address)
}

function isPublic(written: Address): boolean {
  const ip = unwrap(written)
  if (ip.range() !== 'unicast') return false
  return ip instanceof ipaddr.IPv4 ? ip.toString() !== AZURE_HOST : ip.match(PUBLIC_IPV6)
}

/**
 * The IPv4 address that an IPv6 one is only another way to write. Other tunnels (6to4, Teredo, NAT64 of one's own) are not
 * opened: no range of theirs is public here, and nobody receives webhooks through them.
 */
function unwrap(ip: Address): Address {
  if (ip instanceof ipaddr.IPv4 || !(ip.isIPv4MappedAddress() || ip.match(NAT64))) return ip
  return new ipaddr.IPv4(ip.toByteArray().slice(12))
}

/** Without the brackets of IPv6 and the dot of a complete name, so that `localhost.` is `localhost`. */
function hostOf(url: URL | null): string | undefined {
  const host = url?.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (host === undefined || host === '' || (isIP(host) === 0 && host.split('.').includes(''))) return undefined
  return host
}
