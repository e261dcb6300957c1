// HMAC, hashes and comparisons with WebCrypto, which Node, Bun, Deno and edge runtimes all have.

export type Bytes = Uint8Array<ArrayBuffer>

export const bytesOf = (text: string): Bytes => new TextEncoder().encode(text) as Bytes

export async function hmacSha256(key: Bytes, content: Bytes): Promise<Bytes> {
  const usable = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', usable, content))
}

/** In a time that does not depend on where two texts differ, nor on their lengths. */
export async function isSameText(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([sha256(bytesOf(one)), sha256(bytesOf(other))])
  return isSame(a, b)
}

export function isSame(one: Bytes, other: Bytes): boolean {
  let difference = one.length ^ other.length
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0)
  return difference === 0
}

const sha256 = async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

export const hex = (bytes: Bytes): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

function base64(bytes: Bytes): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** Undefined when it is not base64. */
export function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

export const base64url = (bytes: Bytes): string =>
  base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

export const randomHex = (byteCount: number): string => hex(crypto.getRandomValues(new Uint8Array(byteCount)))
