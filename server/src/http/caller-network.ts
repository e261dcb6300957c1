// Which network a caller is in. A home or a phone has a whole IPv6 /64, and an address can be written in many ways.
// Limits and logs use the /64, so that one client cannot pose as many.
import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An IPv4 address as it is, an IPv6 address by its first 64 bits; without a port or a zone. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const bare = withoutPort(address)
  if (isIP(bare) !== 6) return bare
  // Normalised by the URL parser first: ipaddr.js misreads `::1.2.3.4` as `::ffff:1.2.3.4`.
  const ip = ipaddr.process(new URL(`http://[${bare}]/`).hostname.slice(1, -1))
  if (ip instanceof ipaddr.IPv4) return ip.toString()
  const first = ip.parts.slice(0, 4).map((part) => part.toString(16))
  return `${first.join(':')}::/64`
}

/** `1.2.3.4:5678` and `[2001:db8::1]:5678`, as some proxies write them; the zone of a link-local address as well. */
function withoutPort(address: string): string {
  const inBrackets = /^\[([^\]]*)\]/.exec(address)?.[1]
  const bare = inBrackets ?? (/^[\d.]+:\d+$/.test(address) ? address.slice(0, address.indexOf(':')) : address)
  return bare.replace(/%.*$/, '')
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
