// The networks around a caller's own: one customer can have a whole IPv6 /56 or /48, which holds 65,536 networks of 64 bits. Limits count in these
// steps, so that such a customer is not counted as thousands. Carriers put many customers into a /48, so the wider steps allow more.

/** How much more than its own network's limit the /56 and the /48 around it may use. */
export const WIDER_SHARES = [4, 16] as const

const OF_64_BITS = /^([\da-f]+):([\da-f]+):([\da-f]+):([\da-f]+)::\/64$/

/** The /56 and the /48 around a network of 64 bits, as `networkOf` writes it; none around an IPv4 address. */
export function widerNetworks(network: string): [of56: string, of48: string] | [] {
  const [, first, second, third, fourth] = OF_64_BITS.exec(network) ?? []
  if (fourth === undefined) return []
  const of48 = `${first}:${second}:${third}`
  return [`${of48}:${(Number.parseInt(fourth, 16) & 0xff00).toString(16)}::/56`, `${of48}::/48`]
}

/** The widest of them: whom a queue gives its turns to. */
export const widestNetwork = (network: string): string => widerNetworks(network)[1] ?? network
