// The access token of a connection, and the calls that carry it. A token is minted once for all
// calls that need it and renewed shortly before its end, while calls still use the old one. A
// network may take half a minute to mint one: each call waits for a limited time, and minting
// continues for later calls.

import type { Clock } from '../domain/clock-and-random.ts'
import { singleFlight } from '../domain/limits/single-flight.ts'
import {
  type Answered,
  asObject,
  asText,
  type Call,
  type CallResult,
  type Send,
} from './http-call.ts'
import type { Unknown } from './operator.ts'

export type MintedToken = { token: string; lastsMs: number }

interface BearerTokenDeps {
  clock: Clock
  /** One call to the network; never throws. */
  mint(): Promise<MintedToken | Unknown>
  /**
   * A token is renewed so long before its end; one that lasts less than twice as long, after half
   * of its lifetime.
   */
  renewBeforeMs: number
  /** How long a call waits for a token before it counts as never sent. */
  waitMs: number
}

/**
 * After the network refuses our credentials, no token is requested for a moment: repeated failures
 * may lock us out.
 */
const PAUSE_AFTER_FAILURE_MS = 1_000

export function bearerToken({ clock, mint, renewBeforeMs, waitMs }: BearerTokenDeps) {
  let current: { token: string; renewAt: number; endsAt: number } | undefined
  let failure: { answer: Unknown; until: number } | undefined

  const mintOnce = singleFlight(async (): Promise<string | Unknown> => {
    if (failure !== undefined && clock.now() < failure.until) return failure.answer
    const begunAt = clock.now()
    const minted = await mint()
    if ('is' in minted) {
      failure = { answer: minted, until: clock.now() + PAUSE_AFTER_FAILURE_MS }
      return minted
    }
    failure = undefined
    const { token, lastsMs } = minted
    // The lifetime counts from before the call: the network's answer may have taken long.
    current = {
      token,
      renewAt: begunAt + Math.max(lastsMs - renewBeforeMs, lastsMs / 2),
      endsAt: begunAt + lastsMs,
    }
    return token
  })

  return {
    /** Waits until `endsAt` at the latest. Never throws. */
    get: async (endsAt: number): Promise<string | Unknown> => {
      const now = clock.now()
      if (current !== undefined && now < current.endsAt) {
        if (now >= current.renewAt) void mintOnce()
        return current.token
      }
      const limitMs = Math.min(waitMs, endsAt - now)
      if (limitMs <= 0) return NO_TIME
      const why = `the network gave no access token within ${limitMs} ms`
      let cancel = (): void => {}
      const deadline = new Promise<Unknown>((resolve) => {
        cancel = clock.after(limitMs, () => resolve({ is: 'unknown', why, neverLeft: true }))
      })
      return Promise.race([mintOnce(), deadline]).finally(() => cancel())
    },
    /**
     * Drops a token that the network refused, unless it was replaced meanwhile: the next call mints
     * a new one.
     */
    refused: (token: string): void => {
      if (current?.token === token) current = undefined
    },
  }
}

/** The token in an OAuth answer; undefined where there is none. */
export function readToken({ code, body }: Answered, usualLifeMs: number): MintedToken | undefined {
  const { access_token: token, expires_in: expiresIn } = asObject(body) ?? {}
  const text = asText(token)
  if (code >= 300 || text === undefined) return undefined
  const seconds = Number(expiresIn)
  return { token: text, lastsMs: seconds > 0 ? seconds * 1_000 : usualLifeMs }
}

const NO_TIME: Unknown = { is: 'unknown', why: 'no time was left for the call', neverLeft: true }

/**
 * Calls with the token, and once more with a new one when the network refuses the first. Ends
 * before `endsAt`.
 */
export function authorizedCall(
  { send, clock }: { send: Send; clock: Clock },
  token: ReturnType<typeof bearerToken>,
  refusesToken: (result: Answered) => boolean,
) {
  async function attempt(
    call: Call,
    endsAt: number,
    isRetry = false,
  ): Promise<CallResult | Unknown> {
    const bearer = await token.get(endsAt)
    if (typeof bearer !== 'string') return bearer
    const timeoutMs = endsAt - clock.now()
    if (timeoutMs <= 0) return NO_TIME
    const result = await send({
      ...call,
      headers: { ...call.headers, authorization: `Bearer ${bearer}` },
      timeoutMs,
    })
    if ('failed' in result || !refusesToken(result)) return result
    token.refused(bearer)
    return isRetry ? result : attempt(call, endsAt, true)
  }
  return (call: Call, endsAt: number) => attempt(call, endsAt)
}
