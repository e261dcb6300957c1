// Which network a caller is in. A home or a phone has a whole IPv6 /64, and an address can be written in many ways.
// Limits and logs use the /64, so that one client cannot pose as many.
import { BlockList, isIP } from 'node:net'

/** An IPv4 address as it is, an IPv6 address by its first 64 bits; without a port or a zone. */
export function networkOf(address: string): string {
  const isPlainIpv4 = !address.includes(':')
  if (isPlainIpv4) return address
  const bare = withoutPort(address)
  if (!bare.includes(':')) return bare
  const groups = groupsOf(bare)
  if (groups === undefined) return bare
  const [, , , , , , high = 0, low = 0] = groups
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  const first = groups.slice(0, 4).map((group) => group.toString(16))
  return `${first.join(':')}::/64`
}

/** `1.2.3.4:5678` and `[2001:db8::1]:5678`, as some proxies write them; the zone of a link-local address as well. */
function withoutPort(address: string): string {
  const inBrackets = /^\[([^\]]*)\]/.exec(address)?.[1]
  const bare = inBrackets ?? (/^[\d.]+:\d+$/.test(address) ? address.slice(0, address.indexOf(':')) : address)
  return bare.replace(/%.*$/, '')
}

/** The eight groups of an IPv6 address; undefined when it is none. */
function groupsOf(address: string): number[] | undefined {
  if (isIP(address) !== 6) return undefined
  const [head = '', tail] = withHexEnd(address).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}

/** `::ffff:1.2.3.4` is written with four decimal numbers at its end. */
function withHexEnd(address: string): string {
  const last = address.slice(address.lastIndexOf(':') + 1)
  if (!last.includes('.')) return address
  const [a = 0, b = 0, c = 0, d = 0] = last.split('.').map(Number)
  const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  return address.slice(0, address.length - last.length) + groups
}

/** Whether an address is in one of the networks of a list such as `10.0.0.0/8,::1`. */
export function networkList(list: string): (address: string) => boolean {
  const networks = new BlockList()
  for (const item of list.split(',').filter((each) => each !== '')) {
    const [address = '', bits] = item.trim().split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) networks.addAddress(address, family)
    else networks.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const family = isIP(address)
    return family !== 0 && networks.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}
