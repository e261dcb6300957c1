// A person's actions on endpoints and deliveries, by the same code as the commands, and the
// resulting rows.

import {
  type EventMove,
  writeEvents as writeEventsIn,
} from '../../src/actions/events/write-event.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChange,
  type EndpointDeps,
  type EndpointInput,
} from '../../src/actions/webhooks/endpoints.ts'
import { targetRules } from '../../src/config.ts'
import { NOTHING_ADDED } from '../../src/domain/payments/payment-fields.ts'
import { type Delivery, type Endpoint, EVENTS } from '../../src/domain/webhooks/webhook-event.ts'
import { secretsBox } from '../../src/service/master-key.ts'
import type { Runtime } from '../../src/service/runtime.ts'
import { moveFeedStart, removeEventsTo } from '../../src/store/retention/feed-starts.ts'
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts'
import { findEndpoint } from '../../src/store/webhooks/endpoints.ts'
import { granted, TESTER } from './callers.ts'

/** An endpoint that was added; its secret is shown only once. */
export interface AddedEndpoint {
  accountId: string
  endpointId: string
  signingSecret: string
}

export const SECRET_HASH = 'a word of the shop'

export function endpointDeps({ db, clock, random, master, config }: Runtime): EndpointDeps {
  const [box, rules] = [secretsBox(master, random), targetRules(config)]
  return { db, clock, random, box, rules }
}

export async function newEndpoint(
  runtime: Runtime,
  accountId: string,
  url: string,
  input: Partial<EndpointInput> = {},
): Promise<AddedEndpoint> {
  const whole = { accountId, url, secretHash: SECRET_HASH, events: EVENTS, ...input }
  return { accountId, ...granted(await addEndpoint(endpointDeps(runtime), TESTER, whole)) }
}

export async function change(
  runtime: Runtime,
  { endpointId }: Pick<Endpoint, 'endpointId'>,
  to: EndpointChange,
): Promise<string | undefined> {
  const input = { endpointId, changes: [to] }
  return granted(await changeEndpoint(endpointDeps(runtime), TESTER, input)).signingSecret
}

export async function endpointOf({ db }: Runtime, added: AddedEndpoint): Promise<Endpoint> {
  const endpoint = await findEndpoint(db, added, added.endpointId)
  if (endpoint === undefined) throw new Error(`there is no endpoint ${added.endpointId}`)
  return endpoint
}

/** In the order of the feed. */
export async function deliveries(
  { db }: Runtime,
  accountId: string,
  endpointId: string | undefined = undefined,
): Promise<Delivery[]> {
  const filter = { endpointId, failedOnly: false, since: 0 }
  const rows = await listDeliveries(
    db,
    { accountId },
    filter,
    [Number.MAX_SAFE_INTEGER, '', '', 0, 0],
    10_000,
  )
  return rows.sort((a, b) => a.sequence - b.sequence || a.round - b.round)
}

/**
 * Writes events as a settlement does, for payments that are only a number: one commit for all of
 * them.
 */
export async function writeEvents(
  { db, random, clock }: Runtime,
  accountId: string,
  numbers: readonly number[],
  to: EventMove['to'] = 'succeeded',
): Promise<void> {
  const now = clock.now()
  await db.transaction(async (tx) => {
    const moves = numbers.map((number) => {
      const name = `payment-${number}`
      const names = { reference: name, publicReference: name, externalReference: name }
      const maker = { createdBy: null, ...NOTHING_ADDED }
      const payer = { operator: 'airtel_ne', msisdnWritten: null, amountXof: 1_500 }
      const payment = { accountId, number, ...names, ...maker, ...payer }
      // Not the time of the event: so it is stored with its text, and needs no payment.
      return {
        payment: { ...payment, environment: 'sandbox' as const },
        move: { to, validatedAt: now - 1 },
      }
    })
    await writeEventsIn(tx, random, moves, now)
  })
}

const NOTHING = {
  succeeded: 0,
  succeededXof: 0,
  failed: 0,
  failedXof: 0,
  refunded: 0,
  refundedXof: 0,
}

/** The first events of a feed that has all of its events, as retention removes them. */
export async function removeEvents(
  { db, clock }: Runtime,
  accountId: string,
  removedTo: number,
): Promise<void> {
  await moveFeedStart(db, accountId, 0, { removedTo, removedUntil: clock.now() }, NOTHING)
  await removeEventsTo(db, accountId, removedTo)
}

export const upTo = (count: number, from = 1): number[] =>
  Array.from({ length: count }, (_, at) => from + at)
