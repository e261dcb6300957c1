// The keys that pawaPay signs callbacks with, fetched ahead: a callback is read without waiting for a call.
import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../../../domain/clock-and-random.ts'
import type { CallResult } from '../../http-call.ts'
import { objectsIn, textIn } from './wire.ts'

export interface PublicKeys {
  /** Undefined while it is not known: then the keys are fetched beside, for the next callback. */
  of(keyId: string): KeyObject | undefined
  /** Fetches them when that is due; never throws, and is not waited for. */
  fetchAhead(): void
}

const FETCHED_AGAIN_AFTER_MS = 24 * 3_600_000
/** Anybody can send a callback with an invented key's name: such callbacks must not become as many calls. */
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

/** A key from the settings, for whatever name a callback gives it. */
export function pinnedKey(pem: string): PublicKeys {
  const key = createPublicKey(pem)
  return { of: () => key, fetchAhead: () => {} }
}

/** `[{id, key}]`; undefined when there is no usable key. */
export function readPublicKeys(result: CallResult): Map<string, KeyObject> | undefined {
  if (!('code' in result) || result.code !== 200) return undefined
  const keys = new Map<string, KeyObject>()
  for (const { id, key } of objectsIn(result.body)) {
    const parsed = publicKeyOf(textIn(key) ?? '')
    const name = textIn(id)
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
