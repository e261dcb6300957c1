// What a callback of MTN MoMo is about. Its body is a copy of the status and does not hold the reference that we gave: that is in the
// address that we gave with it, and as externalId in the body. Nobody signs it, so it only makes us ask.
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
