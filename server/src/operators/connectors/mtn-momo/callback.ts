// What a callback of MTN MoMo is about. Its body is a copy of the status and does not hold the reference that we gave: that is in the
// address that we gave with it, and as externalId in the body. Nobody signs it, so it only makes us ask.

import { isIP } from 'node:net'
import type { Environment } from '../../../domain/environment.ts'
import { looksLikeReference, referenceOfUuid } from '../../../domain/reference.ts'
import type { CallbackRequest, ReadCallback } from '../../operator.ts'
import { fieldsOf } from './wire.ts'

export function readCallback({ path, headers, body }: CallbackRequest): ReadCallback | undefined {
  const fields = fieldsOf(parsed(body))
  // Split, because /\/+$/ takes 0.8 s on a path of 16 KiB of slashes, and anybody can send one.
  const inPath = path.split('/').filter((part) => part !== '')
  const places = [inPath.join('/'), fields?.externalId, headers['x-reference-id'], fields?.referenceId]
  for (const place of places) {
    const reference = referenceIn(place)
    if (reference !== undefined) return { reference, isGenuine: false }
  }
  return undefined
}

function referenceIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  return looksLikeReference(value) ? value : referenceOfUuid(value)
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

// Which callback addresses MTN MoMo can use. One that it cannot is not sent: a request with a wrong one is refused as a whole, and without
// any the payment is found by polling.

/** What keeps the network from calling it; undefined for nothing. In our sandbox anything goes, or nobody could try it on one machine. */
export function faultOfCallbackUrl(url: string, environment: Environment): { about: string; mend: string } | undefined {
  if (environment !== 'live') return undefined
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'https:') return { about: 'is not https', mend: 'set PUBLIC_URL to an https address' }
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
    return { about: 'has no host name', mend: 'set PUBLIC_URL to a host name: MTN registers no IP address' }
  }
  return port === '' ? undefined : { about: `has port ${port}`, mend: 'be reachable at port 443: MTN calls no other' }
}
