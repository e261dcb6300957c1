// The origin of a site, exactly as a browser writes it, so that origins can be compared as strings.
import { holdsCardNumber } from './card-number.ts'

const OWN_MACHINE = ['localhost', '127.0.0.1', '[::1]']
const LONGEST_ORIGIN = 255

export type OriginFault = { is: 'not_an_address' } | { is: 'written_otherwise'; origin: string } | { is: 'not_https' }

/** Undefined when the origin is valid. */
export function originFault(written: string): OriginFault | undefined {
  const url = URL.parse(written)
  if (url === null || !/^https?:$/.test(url.protocol) || written.length > LONGEST_ORIGIN)
    return { is: 'not_an_address' }
  if (holdsCardNumber(written)) return { is: 'not_an_address' }
  if (url.origin !== written) return { is: 'written_otherwise', origin: url.origin }
  if (url.protocol === 'http:' && !OWN_MACHINE.includes(url.hostname)) return { is: 'not_https' }
  return undefined
}

/** Whether an address belongs to one of these origins. */
export const isWithin = (address: unknown, origins: readonly string[]): boolean =>
  typeof address === 'string' && origins.includes(URL.parse(address)?.origin ?? '')
