// The addresses that a key works from: each an address, or a network such as 203.0.113.0/24.
import { BlockList, isIP } from 'node:net'

const BITS = { 4: 32, 6: 128 } as const

export function isNetwork(written: string): boolean {
  const [address = '', bits, ...more] = written.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= BITS[family as 4 | 6])
}

/** An IPv4 address that comes in the form of IPv6 is the same address. */
const MAPPED = /^::ffff:(?=[\d.]+$)/i

export function networkTest(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const each of networks) {
    const [address = '', bits] = each.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (written) => {
    const address = written.replace(MAPPED, '')
    const family = isIP(address)
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}
