// Reads pawaPay's callbacks: which payment each is about, and whether pawaPay sent it. Its outcome
// is ignored.
import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../../../domain/clock-and-random.ts'
import { looksLikeReference, referenceOfUuid } from '../../../domain/payments/reference.ts'
import { asText, type CallResult, objectsIn, parseObject } from '../../http-call.ts'
import type { CallbackRequest, ReadCallback } from '../../operator.ts'
import { verifyMessage } from './http-signature.ts'

/**
 * `keys`: undefined where callbacks are not signed. `addresses`: those that pawaPay may have been
 * given for callbacks.
 */
export function callbackReader(
  keys: PublicKeys | undefined,
  now: () => number,
  addresses: () => string[],
) {
  return (callback: CallbackRequest): ReadCallback | undefined => {
    // A statement is looked at when it is due.
    if (isAboutStatement(callback)) return { reference: null, isGenuine: false }
    const reference = referenceOf(callback)
    if (reference === undefined) return undefined
    if (keys === undefined) return { reference, isGenuine: false }
    const verdict = verifyMessage(callback, urlsOf(callback, addresses()), keys.of, now())
    return verdict === 'wrong' ? undefined : { reference, isGenuine: verdict === 'genuine' }
  }
}

const isAboutStatement = ({ path, body }: CallbackRequest): boolean => {
  const { statementId, depositId } = parseObject(body) ?? {}
  return path === '' && statementId !== undefined && depositId === undefined
}

/**
 * By the deposit's id, made from our reference. A refund's callback names no deposit: refunds are
 * polled.
 */
function referenceOf({ path, body }: CallbackRequest): string | undefined {
  const inBody = referenceOfUuid(asText(parseObject(body)?.depositId) ?? '')
  const inPath = looksLikeReference(path) ? path : undefined
  return inPath !== undefined && inPath !== inBody ? undefined : inBody
}

/**
 * pawaPay signs the registered address, with or without a final slash. Without a public one, the
 * request's counts.
 */
function urlsOf({ path, headers }: CallbackRequest, addresses: string[]): URL[] {
  const { host } = headers
  const known =
    addresses.length === 0 && typeof host === 'string' ? [`https://${host}/${path}`] : addresses
  const written = known.flatMap((address) => {
    const plain = address.replace(/\/$/, '')
    return path === '' || plain.endsWith(`/${path}`)
      ? [plain, `${plain}/`]
      : [plain, `${plain}/${path}`]
  })
  return written.filter((address) => URL.canParse(address)).map((address) => new URL(address))
}

// The keys that pawaPay signs callbacks with, fetched ahead: a callback is read without waiting for
// a call.

export interface PublicKeys {
  /** Undefined while it is not known: then the keys are fetched for the next callback. */
  of(keyId: string): KeyObject | undefined
  /** Fetches them when that is due; never throws, and is not waited for. */
  fetchAhead(): void
}

const FETCHED_AGAIN_AFTER_MS = 24 * 3_600_000
/** Any client can send callbacks with invented key names: not each may cause a call. */
const FETCHED_AT_MOST_EVERY_MS = 60_000

/** `fetch` never throws. */
export function publicKeys(clock: Clock, fetch: () => Promise<CallResult>): PublicKeys {
  let known: ReadonlyMap<string, KeyObject> = new Map()
  let fetchedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY

  async function fetchKeys(): Promise<void> {
    if (clock.now() - triedAt < FETCHED_AT_MOST_EVERY_MS) return
    triedAt = clock.now()
    const keys = readPublicKeys(await fetch())
    if (keys === undefined) return
    known = keys
    fetchedAt = clock.now()
  }

  return {
    of: (keyId) => {
      if (!known.has(keyId)) void fetchKeys()
      return known.get(keyId)
    },
    fetchAhead: () => {
      if (clock.now() - fetchedAt >= FETCHED_AGAIN_AFTER_MS) void fetchKeys()
    },
  }
}

/** A key from the settings, under any name. */
export function pinnedKey(pem: string): PublicKeys {
  const key = createPublicKey(pem)
  return { of: () => key, fetchAhead: () => {} }
}

/** `[{id, key}]`; undefined when there is no usable key. */
export function readPublicKeys(result: CallResult): Map<string, KeyObject> | undefined {
  if (!('code' in result) || result.code !== 200) return undefined
  const keys = new Map<string, KeyObject>()
  for (const { id, key } of objectsIn(result.body)) {
    const parsed = publicKeyOf(asText(key) ?? '')
    const name = asText(id)
    if (name !== undefined && parsed !== undefined) keys.set(name, parsed)
  }
  return keys.size === 0 ? undefined : keys
}

export function publicKeyOf(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem)
  } catch {
    return undefined
  }
}
