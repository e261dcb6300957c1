// Adds a webhook endpoint: the address is checked, the secrets are sealed, and the signing secret is shown this once.
import type { AccountCaller } from '../../domain/caller.ts'
import { addressHoldsCardNumber } from '../../domain/card-number.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import { base32 } from '../../domain/reference.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusal.ts'
import type { SealedBox } from '../../domain/sealed-box.ts'
import { isEventName, USUAL_EVENTS } from '../../domain/webhook-event.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { insertEndpoint, listEndpoints } from '../../store/webhooks/endpoints.ts'
import { checkTarget, type TargetRules } from '../../webhooks/safe-address.ts'
import { makeSigningSecret } from '../../webhooks/sign.ts'
import { findActingAccount } from '../merchants/acting-account.ts'
import { sealedPlaceOf } from './open-endpoint.ts'

export interface EndpointDeps {
  db: Database
  clock: Clock
  random: Random
  box: SealedBox
  rules: TargetRules
}

export interface EndpointInput {
  accountId: string
  url: string
  secretHash: string
  /** An empty list means the usual ones (D-61). */
  events: readonly string[]
}

const MOST_ENDPOINTS = 5
/** A static value that is sent with every event must not be guessed (D-45). */
const SHORTEST_SECRET_HASH = 16
const LONGEST_SECRET_HASH = 255
export const SIGNING_SECRET_BYTES = 32

export async function addEndpoint(
  deps: EndpointDeps,
  caller: AccountCaller,
  input: EndpointInput,
): Promise<{ endpointId: string; signingSecret: string } | Refused> {
  const { db, clock, random, box } = deps
  const target = checkTarget(input.url, deps.rules)
  if ('fault' in target) return { refused: 'webhook_url_not_valid', fault: target.fault }
  // Here and not in each delivery: an endpoint that works goes on working.
  if (addressHoldsCardNumber(input.url)) return { refused: 'webhook_url_not_valid', fault: 'has_card_number' }
  const unknown = input.events.find((event) => !isEventName(event))
  if (unknown !== undefined) return { refused: 'event_name_not_valid', event: unknown }
  const notValid = checkSecretHash(input.secretHash)
  if (notValid !== undefined) return notValid

  const endpointId = `whe_${base32(random.bytes(10), 16)}`
  const signingSecret = makeSigningSecret(random.bytes(SIGNING_SECRET_BYTES))
  return db.transaction(async (tx) => {
    const account = await findActingAccount(tx, caller, input.accountId)
    if (isRefused(account)) return account
    const { accountId } = account
    await lockAccount(tx, accountId)
    if ((await listEndpoints(tx, account)).length >= MOST_ENDPOINTS) {
      return { refused: 'too_many_endpoints', most: MOST_ENDPOINTS }
    }
    const endpoint = {
      accountId,
      endpointId,
      url: target.url.href,
      events: (input.events.length === 0 ? USUAL_EVENTS : [...new Set(input.events)]).join(','),
      secretHash: box.seal(input.secretHash, sealedPlaceOf(endpointId, 'secret_hash')),
      signingSecret: box.seal(signingSecret, sealedPlaceOf(endpointId, 'signing_secret')),
      createdAt: clock.now(),
    }
    await insertEndpoint(tx, endpoint)
    const detail = { account: accountId, url: endpoint.url, events: endpoint.events }
    const record = { at: endpoint.createdAt, action: 'webhook.add', subject: endpointId, accountId, detail }
    await insertAudit(tx, caller, record)
    return { endpointId, signingSecret }
  })
}

/** The Secret-Hash is sent as a header: a value that a header cannot carry, or that could change in transit, is refused. */
export function checkSecretHash(value: string): RefusedAs<'secret_hash_not_valid'> | undefined {
  const isHeader = /^[\x21-\x7e][\x20-\x7e]*[\x21-\x7e]$/.test(value)
  const [shortest, longest] = [SHORTEST_SECRET_HASH, LONGEST_SECRET_HASH]
  const isValid = isHeader && value.length >= shortest && value.length <= longest
  return isValid ? undefined : { refused: 'secret_hash_not_valid', shortest, longest }
}
