// Signs callbacks as pawaPay does when the account wants that: RFC 9421, with a key whose public half is listed.
import { createECDH, createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'
import { lookUp, type Random, type WireRequest } from '../network.ts'

export type SigningKey = { id: string; privateKey: KeyObject; publicPem: string }

/** From the network's own randomness, so that a run can be repeated. */
export function makeSigningKey(random: Random, number: number): SigningKey {
  const secret = hash('sha256', Buffer.concat([random.bytes(32), Buffer.from([number])]), 'buffer')
  // Below the order of the curve's group, as a private key must be.
  secret[0] = (secret[0] as number) & 0x7f
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(secret)
  // 0x04, then x and y.
  const point = pair.getPublicKey()
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: secret.toString('base64url'),
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' })
  const publicPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string
  return { id: `HTTP_EC_P256_KEY:${number}`, privateKey, publicPem }
}

/** pawaPay's samples are in DER, the standard's form is ieee-p1363. */
export type Encoding = 'der' | 'ieee-p1363'

const CONTENT_TYPE = 'application/json; charset=UTF-8'
const LASTS_SECONDS = 60

export function signedHeaders(
  { id, privateKey }: SigningKey,
  { url, body }: { url: string; body: string },
  { at, encoding }: { at: number; encoding: Encoding },
): Record<string, string> {
  const { host, pathname } = new URL(url)
  const digest = `sha-512=:${hash('sha512', body, 'base64')}:`
  const date = new Date(at).toISOString()
  const created = Math.floor(at / 1_000)
  const covered = '("@method" "@authority" "@path" "signature-date" "content-digest" "content-type")'
  const input = `${covered};alg="ecdsa-p256-sha256";keyid="${id}";created=${created};expires=${created + LASTS_SECONDS}`
  const base = [
    '"@method": POST',
    `"@authority": ${host}`,
    `"@path": ${pathname}`,
    `"signature-date": ${date}`,
    `"content-digest": ${digest}`,
    `"content-type": ${CONTENT_TYPE}`,
    `"@signature-params": ${input}`,
  ].join('\n')
  const signature = sign('sha256', Buffer.from(base), { key: privateKey, dsaEncoding: encoding })
  return {
    'content-type': CONTENT_TYPE,
    'content-digest': digest,
    'signature-date': date,
    signature: `sig-pp=:${signature.toString('base64')}:`,
    'signature-input': `sig-pp=${input}`,
    'accept-signature': 'rsa-pss-sha512,ecdsa-p256-sha256,rsa-v1_5-sha256,ecdsa-p384-sha384',
    'accept-digest': 'sha-256,sha-512',
  }
}

export const unsignedHeaders = (): Record<string, string> => ({ 'content-type': CONTENT_TYPE })

export type RequestKey = { id: string; publicPem: string }

/** ECDSA on P-256 only; `authority` is the host that the client must have signed. */
export function isSigned(
  { method, path, headers, body }: WireRequest,
  { id, publicPem }: RequestKey,
  authority: string,
  now: number,
): boolean {
  const [, label, params = '', list = ''] = /^([\w-]+)=(\(([^)]*)\).*)$/.exec(headers['signature-input'] ?? '') ?? []
  const [, signedLabel, signature = ''] = /^([\w-]+)=:([^:]+):$/.exec(headers.signature ?? '') ?? []
  const names = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name as string)
  const expires = Number(/;expires=(\d+)/.exec(params)?.[1])
  const isWanted = ['@method', '@authority', '@path', 'content-digest'].every((name) => names.includes(name))
  if (label === undefined || label !== signedLabel || !isWanted || !params.includes(`;keyid="${id}"`)) return false
  if (!params.includes(';alg="ecdsa-p256-sha256"') || !(expires * 1_000 > now)) return false
  const digests = [`sha-256=:${hash('sha256', body, 'base64')}:`, `sha-512=:${hash('sha512', body, 'base64')}:`]
  if (!digests.includes(headers['content-digest'] ?? '')) return false
  const own: Record<string, string> = { '@method': method, '@authority': authority, '@path': path }
  const lines = names.map((name) => `"${name}": ${lookUp(own, name) ?? lookUp(headers, name) ?? ''}`)
  const base = Buffer.from([...lines, `"@signature-params": ${params}`].join('\n'))
  const bytes = Buffer.from(signature, 'base64')
  return (['der', 'ieee-p1363'] as const).some((dsaEncoding) => {
    try {
      return verify('sha256', base, { key: createPublicKey(publicPem), dsaEncoding }, bytes)
    } catch {
      return false
    }
  })
}
