// Adds a webhook endpoint: the address is checked, the secrets are sealed, and the signing secret
// is shown only once.

import type { Account } from '../../domain/environment.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import { base32 } from '../../domain/payments/reference.ts'
import { LONGEST_OVERLAP_MS } from '../../domain/people/api-key.ts'
import {
  type AccountCaller,
  EVERY_ACCOUNT,
  isOfService,
  type MerchantCaller,
  type ServiceItself,
  scopeOf,
} from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import type { MasterBox, SealedBox } from '../../domain/sealed-box.ts'
import { addressHoldsCardNumber } from '../../domain/texts/free-text.ts'
import {
  type DeliveryKey,
  type Endpoint,
  isEventName,
  type ListedEndpoint,
  MOST_ENDPOINTS,
  SECRET_HASH_LENGTH,
  USUAL_EVENTS,
} from '../../domain/webhooks/webhook-event.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { insertKeptSecret, removeKeptSecret } from '../../store/keys/kept-secrets.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
import { findAccount, lockAccount } from '../../store/merchants/accounts.ts'
import { countWaiting, giveUpDeliveries, type Waiting } from '../../store/webhooks/delivery-log.ts'
import {
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  listEndpointsAfter,
  listShownEndpoints,
  listUnwarned,
  removeEndpoint,
  setEndpointStatus,
  setEndpointTarget,
  setSecretHash,
  setSigningSecret,
  setWarned,
  wakeEndpoints,
} from '../../store/webhooks/endpoints.ts'
import { queueDelivery } from '../../store/webhooks/events.ts'
import { checkTarget, type TargetRules } from '../../webhooks/safe-address.ts'
import { makeSigningSecret } from '../../webhooks/sign.ts'
import { testEventData } from '../../wire/event.ts'
import { findActingAccount } from '../accounts/acting-account.ts'
import type { Deps } from '../deps.ts'
import { appendToFeed, NO_PAYMENT } from '../events/write-event.ts'
import { takeTry, webhookTestTries } from '../limits/limited-tries.ts'
import { notifyMerchant } from '../notices/notices.ts'

export interface EndpointDeps extends Pick<Deps, 'db' | 'clock' | 'random'> {
  box: MasterBox
  rules: TargetRules
}

export interface EndpointInput {
  accountId: string
  url: string
  /**
   * Without one, the endpoint gets a random value that is never shown: the signature alone proves
   * the sender.
   */
  secretHash: string | undefined
  /** An empty list means the usual ones (D-61). */
  events: readonly string[]
}

const SIGNING_SECRET_BYTES = 32

/** In the order in which they are checked. */
export const ADD_ENDPOINT_REFUSALS = [
  'webhook_url_not_valid',
  'event_name_not_valid',
  'secret_hash_not_valid',
  'endpoint_url_taken',
  'too_many_endpoints',
] as const

export interface AddedEndpoint {
  endpointId: string
  endpoint: ListedEndpoint
  signingSecret: string
}

export async function addEndpoint(
  deps: EndpointDeps,
  caller: AccountCaller,
  input: EndpointInput,
): Promise<
  AddedEndpoint | RefusedAs<'account_not_found' | (typeof ADD_ENDPOINT_REFUSALS)[number]>
> {
  const { db, clock, random, box } = deps
  const secretHash = input.secretHash ?? base32(random.bytes(20), 32)
  const notValid = checkTargetOf(input, deps.rules) ?? checkSecretHash(secretHash)
  if (notValid !== undefined) return notValid

  const endpointId = `whe_${base32(random.bytes(10), 16)}`
  const signingSecret = makeSigningSecret(random.bytes(SIGNING_SECRET_BYTES))
  return db.transaction(async (tx) => {
    const account = await findActingAccount(tx, caller, input.accountId)
    if (isRefused(account)) return account
    const { accountId } = account
    await lockAccount(tx, accountId)
    const others = await listEndpoints(tx, account)
    const taken = takenUrl(others, input.url)
    if (taken !== undefined) return taken
    if (others.length >= MOST_ENDPOINTS)
      return { refused: 'too_many_endpoints', most: MOST_ENDPOINTS }
    const endpoint = {
      accountId,
      endpointId,
      url: new URL(input.url).href,
      events: eventList(input.events),
      secretHash: await sealForStore(tx, box, secretHash, sealedPlaceOf(endpointId, 'secret_hash')),
      signingSecret: await sealForStore(
        tx,
        box,
        signingSecret,
        sealedPlaceOf(endpointId, 'signing_secret'),
      ),
      createdAt: clock.now(),
    }
    await insertEndpoint(tx, endpoint)
    // A command prints it to somebody who is not of the merchant.
    if (!isOfService(caller) && account.environment === 'sandbox')
      await insertKeptSecret(tx, {
        accountId,
        subject: endpointId,
        secret: null,
        madeAt: endpoint.createdAt,
      })
    const detail = { account: accountId, url: endpoint.url, events: endpoint.events }
    const record = {
      at: endpoint.createdAt,
      action: 'webhook.add',
      subject: endpointId,
      accountId,
      detail,
    }
    await insertAudit(tx, caller, record)
    const { url, events, createdAt } = endpoint
    const untried = { failedSince: null, failures: 0, lastStatusCode: null }
    const added = {
      accountId,
      endpointId,
      url,
      events,
      status: 'on',
      createdAt,
      ...untried,
    } as const
    return { endpointId, endpoint: added, signingSecret }
  })
}

/**
 * Whoever did not get the answer to their first request finds the endpoint by its id. Two of one
 * address would get every event twice.
 */
function takenUrl(
  others: readonly Endpoint[],
  url: string,
): RefusedAs<'endpoint_url_taken'> | undefined {
  const same = others.find((endpoint) => endpoint.url === new URL(url).href)
  return same && { refused: 'endpoint_url_taken', existingReference: same.endpointId }
}

/** The stored form: an empty list means the usual events (D-61). */
const eventList = (events: readonly string[]): string =>
  (events.length === 0 ? USUAL_EVENTS : [...new Set(events)]).join(',')

function checkTargetOf(
  { url, events }: Pick<EndpointInput, 'url' | 'events'>,
  rules: TargetRules,
): RefusedAs<'webhook_url_not_valid' | 'event_name_not_valid'> | undefined {
  const target = checkTarget(url, rules)
  if ('fault' in target) return { refused: 'webhook_url_not_valid', fault: target.fault }
  // Checked here and not at each delivery: endpoints added before this check keep working.
  if (addressHoldsCardNumber(url))
    return { refused: 'webhook_url_not_valid', fault: 'has_card_number' }
  return checkEvents(events)
}

function checkEvents(events: readonly string[]): RefusedAs<'event_name_not_valid'> | undefined {
  const unknown = events.find((event) => !isEventName(event))
  return unknown === undefined ? undefined : { refused: 'event_name_not_valid', event: unknown }
}

/** The Secret-Hash must fit in a header, and must not change in transit. */
function checkSecretHash(value: string): RefusedAs<'secret_hash_not_valid'> | undefined {
  const isHeader = /^[\x21-\x7e][\x20-\x7e]*[\x21-\x7e]$/.test(value)
  const { shortest, longest } = SECRET_HASH_LENGTH
  const isValid = isHeader && value.length >= shortest && value.length <= longest
  return isValid ? undefined : { refused: 'secret_hash_not_valid', shortest, longest }
}

// Turns an endpoint on or off, removes it, or changes its secrets. Its deliveries wait while it is
// off (D-28); an old secret can stay valid next to the new one for a while.

export type EndpointChange =
  | { to: 'on' | 'off' }
  | { to: 'removed' }
  /**
   * Waiting deliveries go to the new address; an empty list means the usual events. What is left
   * out stays.
   */
  | { to: 'new target'; url?: string | undefined; events?: readonly string[] | undefined }
  | { to: 'new signing secret'; keepOldMs: number }
  | { to: 'new secret hash'; secretHash: string; keepOldMs: number }

const ACTIONS = {
  on: 'webhook.enable',
  off: 'webhook.disable',
  removed: 'webhook.remove',
  'new target': 'webhook.change',
  'new signing secret': 'webhook.roll-secret',
  'new secret hash': 'webhook.roll-secret-hash',
} as const

/** In the order in which they are checked. An overlap is only in the roll of a secret. */
export const CHANGE_ENDPOINT_REFUSALS = [
  'webhook_url_not_valid',
  'event_name_not_valid',
  'secret_hash_not_valid',
  'endpoint_not_found',
  'endpoint_url_taken',
] as const

type ChangeRefused = RefusedAs<
  (typeof CHANGE_ENDPOINT_REFUSALS)[number] | 'secret_overlap_not_valid'
>

export interface ChangedEndpoint {
  /** As it is now, or was before it was removed. */
  endpoint: ListedEndpoint
  signingSecret?: string
}

/** All of the changes or none. */
export async function changeEndpoint(
  deps: EndpointDeps,
  caller: AccountCaller,
  { endpointId, changes }: { endpointId: string; changes: readonly EndpointChange[] },
): Promise<ChangedEndpoint | ChangeRefused> {
  const { db, random } = deps
  for (const change of changes) {
    const notValid = faultOf(deps, change)
    if (notValid !== undefined) return notValid
  }
  const signingSecret = changes.some(({ to }) => to === 'new signing secret')
    ? makeSigningSecret(random.bytes(SIGNING_SECRET_BYTES))
    : undefined
  return db.transaction(async (tx) => {
    const named = await findEndpoint(tx, scopeOf(caller), endpointId)
    if (named === undefined) return { refused: 'endpoint_not_found' }
    await lockAccount(tx, named.accountId)
    // Read after the lock: another request may have changed it.
    let endpoint = await findEndpoint(tx, named, endpointId)
    if (endpoint === undefined) return { refused: 'endpoint_not_found' }
    const taken = await urlTakenBy(tx, endpoint, changes)
    if (taken !== undefined) return taken
    for (const change of changes) {
      await applyChange(deps, tx, endpoint, change, signingSecret)
      await auditChange(deps, tx, caller, endpoint, change)
      endpoint = (await findEndpoint(tx, endpoint, endpointId)) ?? endpoint
    }
    return { endpoint: listedOf(endpoint), ...(signingSecret !== undefined && { signingSecret }) }
  })
}

async function auditChange(
  { clock }: EndpointDeps,
  tx: Queries,
  caller: AccountCaller,
  { accountId, endpointId, status, url, events }: Endpoint,
  change: EndpointChange,
): Promise<void> {
  await insertAudit(tx, caller, {
    at: clock.now(),
    action: ACTIONS[change.to],
    subject: endpointId,
    accountId,
    earlier: { status, url, events },
    detail: { account: accountId, ...detailOf(change) },
  })
}

/** Without the secrets. */
const listedOf = ({
  accountId,
  endpointId,
  url,
  events,
  status,
  createdAt,
  failedSince,
  failures,
  lastStatusCode,
}: Endpoint): ListedEndpoint => ({
  accountId,
  endpointId,
  url,
  events,
  status,
  createdAt,
  failedSince,
  failures,
  lastStatusCode,
})

/** An endpoint that shares its address since before this rule keeps it. */
async function urlTakenBy(
  tx: Queries,
  endpoint: Endpoint,
  changes: readonly EndpointChange[],
): Promise<RefusedAs<'endpoint_url_taken'> | undefined> {
  for (const change of changes) {
    if (change.to !== 'new target' || change.url === undefined) continue
    if (new URL(change.url).href === endpoint.url) continue
    const all = await listEndpoints(tx, endpoint)
    const others = all.filter(({ endpointId }) => endpointId !== endpoint.endpointId)
    const taken = takenUrl(others, change.url)
    if (taken !== undefined) return taken
  }
  return undefined
}

function faultOf({ rules }: EndpointDeps, change: EndpointChange): ChangeRefused | undefined {
  if (change.to === 'new target') {
    const { url, events = [] } = change
    return url === undefined ? checkEvents(events) : checkTargetOf({ url, events }, rules)
  }
  const notValid = change.to === 'new secret hash' ? checkSecretHash(change.secretHash) : undefined
  if (notValid !== undefined || !('keepOldMs' in change)) return notValid
  const isOverlap = change.keepOldMs >= 0 && change.keepOldMs <= LONGEST_OVERLAP_MS
  return isOverlap ? undefined : { refused: 'secret_overlap_not_valid' }
}

function detailOf(change: EndpointChange): object {
  if ('keepOldMs' in change) return { keep_old_ms: change.keepOldMs }
  if (change.to !== 'new target') return {}
  const { url, events } = change
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: events.join(',') }),
  }
}

async function applyChange(
  { box, clock }: EndpointDeps,
  tx: Queries,
  endpoint: Endpoint,
  change: EndpointChange,
  signingSecret = '',
): Promise<void> {
  const { accountId, endpointId } = endpoint
  const now = clock.now()
  const oldUntil = 'keepOldMs' in change && change.keepOldMs > 0 ? now + change.keepOldMs : null
  switch (change.to) {
    case 'on':
    case 'off':
      await setEndpointStatus(tx, accountId, endpointId, change.to, now)
      return
    case 'removed':
      await giveUpDeliveries(tx, accountId, endpointId, now)
      await removeEndpoint(tx, accountId, endpointId)
      await removeKeptSecret(tx, accountId, endpointId)
      return
    case 'new target':
      await setEndpointTarget(
        tx,
        endpoint,
        change.url === undefined ? endpoint.url : new URL(change.url).href,
        change.events === undefined ? endpoint.events : eventList(change.events),
      )
      return
    case 'new signing secret': {
      const sealed = await sealForStore(
        tx,
        box,
        signingSecret,
        sealedPlaceOf(endpointId, 'signing_secret'),
      )
      await setSigningSecret(tx, endpoint, sealed, oldUntil)
      return
    }
    case 'new secret hash': {
      const sealed = await sealForStore(
        tx,
        box,
        change.secretHash,
        sealedPlaceOf(endpointId, 'secret_hash'),
      )
      await setSecretHash(tx, endpoint, sealed, oldUntil)
    }
  }
}

export interface ListEndpointsInput extends PageInput {
  /** For callers of the service: the account to list; without it, the endpoints of all accounts. */
  accountId?: string | undefined
}

export async function listOldestEndpoints(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { accountId, ...page }: ListEndpointsInput,
): Promise<
  Page<ListedEndpoint> | RefusedAs<'account_not_found' | 'cursor_not_valid' | 'limit_not_valid'>
> {
  const wanted = readPage(page, ['number', 'text'], [0, ''])
  if (isRefused(wanted)) return wanted
  const scope =
    accountId === undefined ? scopeOf(caller) : await findActingAccount(db, caller, accountId)
  if ('refused' in scope) return scope
  const [createdAt, endpointId] = wanted.cursor
  const found = await listEndpointsAfter(db, scope, { createdAt, endpointId }, wanted.limit + 1)
  return pageOf(found, wanted.limit, (endpoint) => [endpoint.createdAt, endpoint.endpointId])
}

export async function showEndpoints(
  { db }: Pick<Deps, 'db'>,
  caller: MerchantCaller,
): Promise<{ rows: (ListedEndpoint & Waiting)[] }> {
  const found = await listShownEndpoints(db, caller)
  const rows = found.map(async (endpoint) => ({
    ...endpoint,
    ...(await countWaiting(db, endpoint.accountId, endpoint.endpointId)),
  }))
  return { rows: await Promise.all(rows) }
}

export interface OpenEndpoint {
  url: string
  /** Whether an attempt has failed since the last success. */
  hasFailed: boolean
  /** Newest first; the old one too while both are valid. */
  secretHashes: string[]
  signingSecrets: string[]
}

/** The place where a secret is stored: sealed for it, the value cannot be opened elsewhere. */
const sealedPlaceOf = (endpointId: string, what: 'secret_hash' | 'signing_secret'): string =>
  `${endpointId} ${what}`

/**
 * A receiver that echoes the request would put its secret into our log, plain or within JSON. A
 * secret shorter than D-45 allows is hidden too, with ordinary text that it matches. One pass:
 * replacements are not searched.
 */
export function withoutSecrets(text: string, { secretHashes }: OpenEndpoint): string {
  const forms = secretHashes.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  const longestFirst = forms.sort((one, other) => other.length - one.length).map(asPattern)
  return text.replaceAll(new RegExp(`(?:${longestFirst.join('|')})+`, 'g'), '[hidden]')
}

const asPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

export const openSigningSecret = (box: SealedBox, endpointId: string, sealed: string): string =>
  box.open(sealed, sealedPlaceOf(endpointId, 'signing_secret'))

export function openEndpoint(box: SealedBox, endpoint: Endpoint, now: number): OpenEndpoint {
  const { endpointId } = endpoint
  const open = (
    what: 'secret_hash' | 'signing_secret',
    newest: string,
    old: string | null,
    oldUntil: number | null,
  ) => {
    const sealed = old !== null && (oldUntil ?? 0) > now ? [newest, old] : [newest]
    return sealed.map((each) => box.open(each, sealedPlaceOf(endpointId, what)))
  }
  return {
    url: endpoint.url,
    hasFailed: endpoint.failedSince !== null,
    secretHashes: open(
      'secret_hash',
      endpoint.secretHash,
      endpoint.oldSecretHash,
      endpoint.oldSecretHashUntil,
    ),
    signingSecrets: open(
      'signing_secret',
      endpoint.signingSecret,
      endpoint.oldSigningSecret,
      endpoint.oldSigningSecretUntil,
    ),
  }
}

// Sends a test event to one endpoint, subscribed or not, like a real one: feed, signature, retries
// (D-26).

export type TestDeps = Pick<Deps, 'db' | 'clock' | 'random'>

/** In the order in which they are checked. */
export const TEST_ENDPOINT_REFUSALS = ['endpoint_not_found', 'endpoint_off'] as const

function endpointFault(
  endpoint: Endpoint | undefined,
): RefusedAs<(typeof TEST_ENDPOINT_REFUSALS)[number]> | undefined {
  if (endpoint === undefined) return { refused: 'endpoint_not_found' }
  return endpoint.status === 'on' ? undefined : { refused: 'endpoint_off' }
}

export async function testEndpoint(
  { db, clock, random }: TestDeps,
  caller: AccountCaller,
  { endpointId }: { endpointId: string },
): Promise<DeliveryKey | RefusedAs<'too_many_tries' | (typeof TEST_ENDPOINT_REFUSALS)[number]>> {
  const named = await findEndpoint(db, scopeOf(caller), endpointId)
  const notSent = endpointFault(named)
  if (notSent !== undefined) return notSent
  const { accountId } = named as Endpoint
  const taken = await takeTry({ db, clock }, [webhookTestTries(accountId)])
  if (isRefused(taken)) return taken
  return db.transaction(async (tx) => {
    const createdAt = clock.now()
    const fault = endpointFault(await findEndpoint(tx, { accountId }, endpointId))
    if (fault !== undefined) return fault
    const { environment } = (await findAccount(tx, EVERY_ACCOUNT, accountId)) as Account
    const data = testEventData(endpointId)
    const event = {
      accountId,
      number: NO_PAYMENT,
      environment,
      event: 'webhook.test',
      data,
      createdAt,
    } as const
    const sequence = await appendToFeed(tx, random, event)
    const key = { accountId, endpointId, sequence, round: 0 }
    // Each test has a number of its own: unlike the events of one payment, tests do not wait for
    // each other.
    await queueDelivery(tx, { ...key, number: NO_PAYMENT - sequence }, createdAt)
    await wakeEndpoints(tx, accountId, createdAt)
    const record = { at: createdAt, action: 'webhook.test', subject: endpointId, accountId }
    await insertAudit(tx, caller, { ...record, detail: { account: accountId } })
    return key
  })
}

// Queues an email to the people of each endpoint that has begun to fail. The worker calls it every
// minute.

const MOST_AT_ONCE = 100

/** True when more may be failing. */
export async function warnOfFailing(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  _caller: ServiceItself,
): Promise<boolean> {
  const found = await listUnwarned(db, clock.now(), MOST_AT_ONCE)
  for (const endpoint of found) {
    await db.transaction(async (tx) => {
      const now = clock.now()
      if (!(await setWarned(tx, endpoint, now))) return
      const { accountId, endpointId } = endpoint
      await notifyMerchant(tx, now, {
        kind: 'endpoint_failing',
        about: endpointId,
        accountId,
        cause: endpointId,
      })
    })
  }
  return found.length === MOST_AT_ONCE
}
