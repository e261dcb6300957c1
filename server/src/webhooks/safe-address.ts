// Which addresses webhooks may be sent to: public ones, and those that the settings list. A
// merchant chooses the target, so a private address would let a merchant reach our own network
// (SSRF). Decides and never connects: guarded-agent.ts calls it for every connection.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { UrlFault } from '../domain/webhooks/webhook-refusals.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A range of addresses, or a host name, which may then resolve to any address. */
export type AllowedTarget = { range: [Address, number] } | { host: string }

export type TargetRules = { allowPlainHttp: boolean; allowed: readonly AllowedTarget[] }

const NO_TARGETS = 'must be a list like 127.0.0.0/8,::1,localhost: addresses, ranges and host names'

const LONGEST_URL = 2_048

/** Names for local networks, refused also while they resolve to public addresses. */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/

/**
 * All public IPv6 that IANA has assigned; outside of it ipaddr.js would call `::127.0.0.1` and
 * `4000::` unicast.
 */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** RFC 6052: how a network without IPv4 writes every IPv4 address. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Public by its range, but on Azure it is the host of the virtual machine, which serves the
 * machine's secrets.
 */
const AZURE_HOST = '168.63.129.16'

/** Throws the rest of a sentence ("must be …"), as the readers of config.ts do. */
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
    // A name that the URL parser turns into an address is a mistake: `127.1` would look like a name
    // and allow nothing.
    if (host !== undefined && isIP(host) === 0) return { host }
  }
  throw new Error(`${NO_TARGETS}; ${JSON.stringify(entry)} is none of these`)
}

/** Send to the returned URL: it is in canonical form. */
export function checkTarget(text: string, rules: TargetRules): { url: URL } | { fault: UrlFault } {
  if (text.length > LONGEST_URL) return { fault: 'too_long' }
  // The URL parser drops or replaces these and another may not: refused, so that all parsers read
  // the same URL.
  if (/[\s\\\p{Cc}]/u.test(text)) return { fault: 'has_spaces' }
  if (!/^https?:\/\/[^/]/i.test(text)) return { fault: 'not_complete' }
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return { fault: 'has_user_name' }
  if (text.includes('#')) return { fault: 'has_fragment' }
  const url = URL.parse(text)
  const host = hostOf(url)
  if (url === null || host === undefined) return { fault: 'host_not_readable' }
  const listed = isListed(host, rules)
  if (!listed && isIP(host) === 0 && (LOCAL_NAME.test(host) || !host.includes('.')))
    return { fault: 'host_not_public' }
  if (isIP(host) !== 0 && !mayReach(host, host, rules)) return { fault: 'address_not_public' }
  if (url.protocol === 'http:' && !listed && !rules.allowPlainHttp) return { fault: 'not_https' }
  if (isIP(host) === 0) url.hostname = host
  return { url }
}

/**
 * Whether a connection for `host` may go to `address`: the literal, a resolved address, or the
 * peer.
 */
export function mayReach(address: string, host: string, rules: TargetRules): boolean {
  // An address with a zone names one of our own network interfaces.
  if (isIP(address) === 0 || address.includes('%')) return false
  // A listed name allows every address it resolves to, a listed address only itself.
  const vouched = isIP(host) === 0 && isListed(host, rules)
  return vouched || isListed(address, rules) || isPublic(parse(address))
}

/** Compares names and address ranges; resolves nothing. */
export function isListed(host: string, { allowed }: TargetRules): boolean {
  if (isIP(host) === 0) return allowed.some((target) => 'host' in target && target.host === host)
  const written = parse(host)
  return [written, unwrap(written)].some((ip) =>
    allowed.some(
      (target) =>
        'range' in target && ip.kind() === target.range[0].kind() && ip.match(target.range),
    ),
  )
}

/** Normalised by the URL parser first: ipaddr.js misreads `::1.2.3.4` as `::ffff:1.2.3.4`. */
function parse(address: string): Address {
  return ipaddr.parse(
    isIP(address) === 6 ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : address,
  )
}

function isPublic(written: Address): boolean {
  const ip = unwrap(written)
  if (ip.range() !== 'unicast') return false
  return ip instanceof ipaddr.IPv4 ? ip.toString() !== AZURE_HOST : ip.match(PUBLIC_IPV6)
}

/**
 * The IPv4 address inside an IPv4-mapped or NAT64 address. Other tunnels (6to4, Teredo, NAT64 with
 * a private prefix) are not unwrapped: none of their ranges is public here, and no receiver uses
 * them.
 */
function unwrap(ip: Address): Address {
  if (ip instanceof ipaddr.IPv4 || !(ip.isIPv4MappedAddress() || ip.match(NAT64))) return ip
  return new ipaddr.IPv4(ip.toByteArray().slice(12))
}

/**
 * Without the brackets of IPv6 and the dot at the end of a full name, so that `localhost.` is
 * `localhost`.
 */
function hostOf(url: URL | null): string | undefined {
  const host = url?.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (host === undefined || host === '' || (isIP(host) === 0 && host.split('.').includes('')))
    return undefined
  return host
}
