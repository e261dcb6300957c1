// Reads pawaPay's callbacks. What one says about the payment is not looked at: only which payment it is about, and whether pawaPay sent it.
import { looksLikeReference, referenceOfUuid } from '../../../domain/reference.ts'
import type { CallbackRequest, ReadCallback } from '../../operator.ts'
import { verifyMessage } from './http-signature.ts'
import type { PublicKeys } from './public-keys.ts'
import { isObject, textIn } from './wire.ts'

const ANY_REFERENCE = '0'.repeat(24)

/** Our callback address without a reference: pawaPay is given one address for all deposits, in its dashboard. */
export const plainCallbackUrl = (callbackUrl: (reference: string) => string | undefined): string | undefined =>
  callbackUrl(ANY_REFERENCE)?.replace(new RegExp(`/?${ANY_REFERENCE}/?$`), '')

export interface CallbackReaderDeps {
  /** Undefined where callbacks are not signed. */
  keys: PublicKeys | undefined
  now(): number
  /** The addresses that pawaPay may have been given for callbacks. */
  addresses(): string[]
}

export function callbackReader({ keys, now, addresses }: CallbackReaderDeps) {
  return (callback: CallbackRequest): ReadCallback | undefined => {
    const reference = referenceOf(callback)
    if (reference === undefined) return undefined
    if (keys === undefined) return { reference, isGenuine: false }
    const verdict = verifyMessage(callback, urlsOf(callback, addresses()), keys.of, now())
    return verdict === 'wrong' ? undefined : { reference, isGenuine: verdict === 'genuine' }
  }
}

/** By the deposit's id, which is made from our reference. A refund's callback names no deposit: refunds are asked about anyway. */
function referenceOf({ path, body }: CallbackRequest): string | undefined {
  const inBody = referenceOfUuid(depositIdIn(body) ?? '')
  const inPath = looksLikeReference(path) ? path : undefined
  return inPath !== undefined && inPath !== inBody ? undefined : inBody
}

function depositIdIn(body: Buffer): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    return isObject(parsed) ? textIn(parsed.depositId) : undefined
  } catch {
    return undefined
  }
}

/**
 * What was signed is the address as pawaPay wrote it: ours, with or without a slash at its end. Only a service that knows none of its own takes
 * the sender's word for it.
 */
function urlsOf({ path, headers }: CallbackRequest, addresses: string[]): URL[] {
  const { host } = headers
  const known = addresses.length === 0 && typeof host === 'string' ? [`https://${host}/${path}`] : addresses
  const written = known.flatMap((address) => {
    const plain = address.replace(/\/$/, '')
    return path === '' || plain.endsWith(`/${path}`) ? [plain, `${plain}/`] : [plain, `${plain}/${path}`]
  })
  return written.filter((address) => URL.canParse(address)).map((address) => new URL(address))
}
