// The origin of a site, exactly as a browser writes it: only then can it be compared letter for letter.

const OWN_MACHINE = ['localhost', '127.0.0.1', '[::1]']
const LONGEST_ORIGIN = 255

/** The second half of a sentence, or nothing when it will do. */
export function originFault(written: string): string | undefined {
  const url = URL.parse(written)
  if (url === null || !/^https?:$/.test(url.protocol) || written.length > LONGEST_ORIGIN) {
    return 'must be the address of a site, like https://shop.example'
  }
  if (url.origin !== written) return `must be written as browsers write it: ${url.origin}`
  if (url.protocol === 'http:' && !OWN_MACHINE.includes(url.hostname)) return 'must begin with https://'
  return undefined
}

/** Whether an address leads to one of these sites. */
export const isWithin = (address: unknown, origins: readonly string[]): boolean =>
  typeof address === 'string' && origins.includes(URL.parse(address)?.origin ?? '')
