// Sends callbacks, signed if the account wants that, for a quarter of an hour until they are
// answered with 200.
import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import {
  lookUp,
  type PartDeps,
  type Random,
  type WireCallback,
  type WireRequest,
} from '../network.ts'
import type { AccountSettings } from './account.ts'
import type { FaultName } from './numbers-and-faults.ts'

export type CallbackSender = ReturnType<typeof callbackSender>

export interface CallbackSenderDeps extends PartDeps {
  settings: AccountSettings
  encoding: Encoding
  now(): number
}

/** 14.5 minutes in all. */
const RETRIED_AFTER_MS = [10_000, 30_000, 60_000, 120_000, 240_000, 410_000]
const REPEATED = 20

export function callbackSender(deps: CallbackSenderDeps) {
  const { clock, random, faults, settings, encoding, now, sendCallback } = deps
  const [first, second] = [makeSigningKey(random, 1), makeSigningKey(random, 2)]
  const foreign = makeSigningKey(random, 3)
  const isOn = (name: FaultName): boolean => faults.isOn(name)

  function headersOf(url: string, body: string): Record<string, string> {
    if (!settings.signsCallbacks) return unsignedHeaders()
    const replaced = isOn('key_replaced') ? second : first
    const key = isOn('callbacks_signed_wrongly') ? { ...foreign, id: replaced.id } : replaced
    const at = now() - (isOn('callbacks_signed_long_ago') ? 3_600_000 : 0)
    return signedHeaders(key, { url, body }, { at, encoding })
  }

  function callbackTo(url: string, body: object): WireCallback {
    const text = JSON.stringify(body)
    const headers = headersOf(url, text)
    const sent = isOn('callbacks_with_another_body')
      ? JSON.stringify({ ...body, status: 'COMPLETED', more: 1 })
      : text
    return { method: 'POST', url, headers, body: sent }
  }

  async function deliver(
    url: string,
    body: () => object,
    retries: readonly number[],
  ): Promise<void> {
    if ((await sendCallback(callbackTo(url, body()))) === 200) return
    const [next, ...rest] = retries
    if (next !== undefined) clock.after(next, () => void deliver(url, body, rest))
  }

  /** `body` is called at each attempt. */
  function sendTo(url: string, body: () => object): void {
    if (isOn('callbacks_never_come')) return
    void deliver(url, body, RETRIED_AFTER_MS)
    if (!isOn('callbacks_repeated')) return
    for (let again = 1; again < REPEATED; again++)
      clock.after(again * 1_000, () => void sendCallback(callbackTo(url, body())))
  }

  return {
    send: (type: 'DEPOSIT' | 'REFUND', body: () => object): void => {
      const url = settings.callbackUrls[type]
      if (url !== undefined) sendTo(url, body)
    },
    sendTo,
    keys: () =>
      (isOn('key_replaced') ? [first, second] : [first]).map(({ id, publicPem }) => ({
        id,
        key: publicPem,
      })),
  }
}

// Signs callbacks as pawaPay does when the account wants that: RFC 9421, with a key whose public
// half is listed.

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
  const covered =
    '("@method" "@authority" "@path" "signature-date" "content-digest" "content-type")'
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
  const [, label, params = '', list = ''] =
    /^([\w-]+)=(\(([^)]*)\).*)$/.exec(headers['signature-input'] ?? '') ?? []
  const [, signedLabel, signature = ''] = /^([\w-]+)=:([^:]+):$/.exec(headers.signature ?? '') ?? []
  const names = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name as string)
  const expires = Number(/;expires=(\d+)/.exec(params)?.[1])
  const isWanted = ['@method', '@authority', '@path', 'content-digest'].every((name) =>
    names.includes(name),
  )
  if (
    label === undefined ||
    label !== signedLabel ||
    !isWanted ||
    !params.includes(`;keyid="${id}"`)
  )
    return false
  if (!params.includes(';alg="ecdsa-p256-sha256"') || !(expires * 1_000 > now)) return false
  const digests = [
    `sha-256=:${hash('sha256', body, 'base64')}:`,
    `sha-512=:${hash('sha512', body, 'base64')}:`,
  ]
  if (!digests.includes(headers['content-digest'] ?? '')) return false
  const own: Record<string, string> = { '@method': method, '@authority': authority, '@path': path }
  const lines = names.map(
    (name) => `"${name}": ${lookUp(own, name) ?? lookUp(headers, name) ?? ''}`,
  )
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
