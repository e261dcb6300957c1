// The access tokens of the simulated Airtel, given and refused as its gateway does.
import type { Clock, Random } from '../../../domain/clock-and-random.ts'
import type { FaultBoard } from '../faults.ts'
import type { WireReaction, WireRequest } from '../network.ts'
import { CLIENT_REFUSED, TOKEN_REFUSED } from './answers.ts'

const TOKEN_LASTS_MS = 180_000
const SLOW_MS = 20_000

export interface TokensDeps {
  clock: Clock
  random: Random
  faults: FaultBoard
  clientId: string
  clientSecret: string
}

export interface Tokens {
  give(request: WireRequest): WireReaction
  /** The refusal of a call without a good token; undefined for one with it. */
  refuse(request: WireRequest): WireReaction | undefined
  clear(): void
}

export function tokens({ clock, random, faults, clientId, clientSecret }: TokensDeps): Tokens {
  const given = new Map<string, number>()

  function isGood(token: string | undefined): boolean {
    return token !== undefined && (given.get(token) ?? 0) > clock.now() && !faults.strikes('token_ends_early')
  }

  return {
    give: (request) => {
      if (faults.strikes('token_answers_500')) return { code: 500, body: { message: 'An unexpected error occurred' } }
      const asked = credentialsOf(request)
      const isRight = asked.client_id === clientId && asked.client_secret === clientSecret
      const isKind = asked.grant_type === 'client_credentials'
      if (!isRight || !isKind || faults.strikes('credentials_are_refused')) return CLIENT_REFUSED
      if (faults.isOn('new_token_ends_the_old')) given.clear()
      const token = Buffer.from(random.bytes(24)).toString('base64url')
      given.set(token, clock.now() + TOKEN_LASTS_MS)
      const seconds = TOKEN_LASTS_MS / 1_000
      const life = faults.strikes('token_life_is_text') ? String(seconds) : seconds
      return {
        code: 200,
        headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
        body: { token_type: 'bearer', access_token: token, expires_in: life },
        ...(faults.strikes('token_takes_20_seconds') && { afterMs: SLOW_MS }),
      }
    },
    refuse: ({ headers }) => {
      const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
      if (isGood(token)) return undefined
      return { code: faults.isOn('expired_token_is_403') ? 403 : 401, ...TOKEN_REFUSED }
    },
    clear: () => given.clear(),
  }
}

/** The gateway takes the credentials as JSON, as a form, or as Basic authorization beside the grant type. */
function credentialsOf({ headers, body }: WireRequest): Record<string, unknown> {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
  const fields = isForm ? Object.fromEntries(new URLSearchParams(body)) : parseObject(body)
  const basic = /^basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (basic === undefined) return fields
  const [id, ...secret] = Buffer.from(basic, 'base64').toString('utf8').split(':')
  return { ...fields, client_id: id, client_secret: secret.join(':') }
}

export function parseObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
