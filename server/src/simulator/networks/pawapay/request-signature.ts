// Verifies the signature of a request, for an account that takes signed requests only.

import { createPublicKey, hash, verify } from 'node:crypto'
import { lookUp } from '../../../domain/look-up.ts'
import type { WireRequest } from '../network.ts'

export interface RequestKey {
  id: string
  publicPem: string
}

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
