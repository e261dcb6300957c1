// Adds a webhook endpoint: the address is checked, the secrets are sealed, and the signing secret is shown this once.
import type { AccountCaller } from '../../domain/caller.ts'
import { addressHoldsCardNumber } from '../../domain/card-number.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import { base32 } from '../../domain/reference.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusal.ts'
import type { MasterBox } from '../../domain/sealed-box.ts'
import { isEventName, USUAL_EVENTS } from '../../domain/webhook-event.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
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
  box: MasterBox
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
  const notValid = checkTargetOf(input, deps.rules) ?? checkSecretHash(input.secretHash)
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
      url: new URL(input.url).href,
      events: eventList(input.events),
      secretHash: await sealForStore(tx, box, input.secretHash, sealedPlaceOf(endpointId, 'secret_hash')),
      signingSecret: await sealForStore(tx, box, signingSecret, sealedPlaceOf(endpointId, 'signing_secret')),
      createdAt: clock.now(),
    }
    await insertEndpoint(tx, endpoint)
    const detail = { account: accountId, url: endpoint.url, events: endpoint.events }
    const record = { at: endpoint.createdAt, action: 'webhook.add', subject: endpointId, accountId, detail }
    await insertAudit(tx, caller, record)
    return { endpointId, signingSecret }
  })
}

/** As it is stored: an empty list means the usual ones (D-61). */
export const eventList = (events: readonly string[]): string =>
  (events.length === 0 ? USUAL_EVENTS : [...new Set(events)]).join(',')

/** Where it leads, and what it asks for. */
export function checkTargetOf(
  { url, events }: Pick<EndpointInput, 'url' | 'events'>,
  rules: TargetRules,
): RefusedAs<'webhook_url_not_valid' | 'event_name_not_valid'> | undefined {
  const target = checkTarget(url, rules)
  if ('fault' in target) return { refused: 'webhook_url_not_valid', fault: target.fault }
  // Here and not in each delivery: an endpoint that works goes on working.
  if (addressHoldsCardNumber(url)) return { refused: 'webhook_url_not_valid', fault: 'has_card_number' }
  const unknown = events.find((event) => !isEventName(event))
  return unknown === undefined ? undefined : { refused: 'event_name_not_valid', event: unknown }
}

/** The Secret-Hash is sent as a header: a value that a header cannot carry, or that could change in transit, is refused. */
export function checkSecretHash(value: string): RefusedAs<'secret_hash_not_valid'> | undefined {
  const isHeader = /^[\x21-\x7e][\x20-\x7e]*[\x21-\x7e]$/.test(value)
  const [shortest, longest] = [SHORTEST_SECRET_HASH, LONGEST_SECRET_HASH]
  const isValid = isHeader && value.length >= shortest && value.length <= longest
  return isValid ? undefined : { refused: 'secret_hash_not_valid', shortest, longest }
}
