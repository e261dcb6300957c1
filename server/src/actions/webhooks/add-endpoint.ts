// A merchant wants to be told: the address is checked, the secrets are sealed, and the signing secret is shown this once.
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import { base32 } from '../../domain/reference.ts'
import type { SealedBox } from '../../domain/sealed-box.ts'
import { EVENTS, isEventName } from '../../domain/webhook-event.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { insertEndpoint, listEndpoints } from '../../store/webhooks/endpoints.ts'
import { checkTarget, type TargetRules } from '../../webhooks/safe-address.ts'
import { makeSigningSecret } from '../../webhooks/sign.ts'
import { placeOf } from './open-endpoint.ts'

export interface EndpointDeps {
  db: Database
  clock: Clock
  random: Random
  box: SealedBox
  rules: TargetRules
}

export interface EndpointWish {
  accountId: string
  url: string
  secretHash: string
  /** All of them when there are none. */
  events: readonly string[]
}

/** A sentence for whoever asked says what is wrong and what to do. */
export type NotDone = { because: string }

export const MOST_ENDPOINTS = 5
const LONGEST_SECRET_HASH = 255
export const SIGNING_SECRET_BYTES = 32

export async function addEndpoint(
  deps: EndpointDeps,
  wish: EndpointWish,
  actor: string,
): Promise<{ endpointId: string; signingSecret: string } | NotDone> {
  const { db, clock, random, box } = deps
  const target = checkTarget(wish.url, deps.rules)
  if ('refused' in target) return { because: target.refused }
  const unknown = wish.events.find((event) => !isEventName(event))
  if (unknown !== undefined) return { because: `${unknown} is not an event. Choose from ${EVENTS.join(', ')}.` }
  const notValid = checkSecretHash(wish.secretHash)
  if (notValid !== undefined) return notValid

  const { accountId } = wish
  const endpointId = `whe_${base32(random.bytes(10), 16)}`
  const signingSecret = makeSigningSecret(random.bytes(SIGNING_SECRET_BYTES))
  const endpoint = {
    accountId,
    endpointId,
    url: target.url.href,
    events: (wish.events.length === 0 ? EVENTS : [...new Set(wish.events)]).join(','),
    secretHash: box.seal(wish.secretHash, placeOf(endpointId, 'secret_hash')),
    signingSecret: box.seal(signingSecret, placeOf(endpointId, 'signing_secret')),
    createdAt: clock.now(),
  }
  return db.transaction(async (tx) => {
    if (!(await lockAccount(tx, accountId))) return { because: `There is no account ${accountId}.` }
    if ((await listEndpoints(tx, accountId)).length >= MOST_ENDPOINTS) {
      return { because: `An account has at most ${MOST_ENDPOINTS} endpoints. Remove one first.` }
    }
    await insertEndpoint(tx, endpoint)
    const detail = { account: accountId, url: endpoint.url, events: endpoint.events }
    await insertAudit(tx, { at: endpoint.createdAt, actor, action: 'webhook.add', subject: endpointId, detail })
    return { endpointId, signingSecret }
  })
}

/** It travels as a header: what a header cannot carry, or would change on the way, is refused. */
export function checkSecretHash(value: string): NotDone | undefined {
  const isHeader = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && value.length <= LONGEST_SECRET_HASH
  if (isHeader) return undefined
  return {
    because: `Secret-Hash is 1 to ${LONGEST_SECRET_HASH} plain letters, digits and signs, with no space around.`,
  }
}
