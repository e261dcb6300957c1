// What a person does to endpoints and deliveries, by the same actions as the commands, and what the tables then hold.
import { addEndpoint, type EndpointDeps, type EndpointWish } from '../../src/actions/webhooks/add-endpoint.ts'
import { changeEndpoint, type EndpointChange, type EndpointName } from '../../src/actions/webhooks/change-endpoint.ts'
import { type EventMove, writeEvent } from '../../src/actions/webhooks/write-event.ts'
import type { DeliveryKey } from '../../src/domain/webhook-event.ts'
import type { Runtime } from '../../src/service/runtime.ts'
import { secretsBox, targetRules } from '../../src/service/webhook-worker.ts'
import { type DeliveryRow, listDeliveries } from '../../src/store/webhooks/delivery-log.ts'
import { type EndpointRow, findEndpoint } from '../../src/store/webhooks/endpoints.ts'

export interface Endpoint extends EndpointName {
  signingSecret: string
}

export const SECRET_HASH = 'a word of the shop'

export function endpointDeps({ db, clock, random, master, config }: Runtime): EndpointDeps {
  const [box, rules] = [secretsBox(master, random), targetRules(config)]
  return { db, clock, random, box, rules }
}

export async function add(
  runtime: Runtime,
  accountId: string,
  url: string,
  wish: Partial<EndpointWish> = {},
): Promise<Endpoint> {
  const whole = { accountId, url, secretHash: SECRET_HASH, events: [], ...wish }
  const added = await addEndpoint(endpointDeps(runtime), whole, 'tester')
  if ('because' in added) throw new Error(added.because)
  return { accountId, ...added }
}

export async function change(
  runtime: Runtime,
  { accountId, endpointId }: EndpointName,
  to: EndpointChange,
): Promise<string | undefined> {
  const changed = await changeEndpoint(endpointDeps(runtime), { accountId, endpointId }, to, 'tester')
  if ('because' in changed) throw new Error(changed.because)
  return changed.signingSecret
}

export async function find({ db }: Runtime, { accountId, endpointId }: EndpointName): Promise<EndpointRow> {
  const row = await findEndpoint(db, accountId, endpointId)
  if (row === undefined) throw new Error(`there is no endpoint ${endpointId}`)
  return row
}

/** In the order of the feed. */
export async function deliveries(
  { db }: Runtime,
  accountId: string,
  endpointId: string | undefined = undefined,
): Promise<DeliveryRow[]> {
  const rows = await listDeliveries(db, { accountId, endpointId, most: 10_000 })
  return rows.sort((a, b) => a.sequence - b.sequence || a.round - b.round)
}

export const keyOf = ({ account_id, endpoint_id, sequence, round }: DeliveryRow): DeliveryKey => ({
  accountId: account_id,
  endpointId: endpoint_id,
  sequence,
  round,
})

/** Writes events as a settlement does, for payments that are nothing but a number: one commit for all of them. */
export async function tell(
  { db, random, clock }: Runtime,
  accountId: string,
  numbers: readonly number[],
  to: EventMove['to'] = 'succeeded',
): Promise<void> {
  const now = clock.now()
  await db.transaction(async (tx) => {
    for (const number of numbers) {
      const name = `payment-${number}`
      const names = { reference: name, publicReference: name, externalReference: name }
      const payment = { accountId, number, ...names, msisdnWritten: null, amountXof: 1_500 }
      await writeEvent(tx, random, { ...payment, environment: 'sandbox' }, { to, validatedAt: now }, now)
    }
  })
}

export const upTo = (count: number, from = 1): number[] => Array.from({ length: count }, (_, at) => from + at)
