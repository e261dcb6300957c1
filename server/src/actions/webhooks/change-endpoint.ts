// Turns an endpoint on or off, removes it, or changes its secrets. Its deliveries wait while it is off (D-28); an old secret can
// stay valid beside the new one for a while.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import type { Refused } from '../../domain/refusal.ts'
import type { Endpoint } from '../../domain/webhook-endpoint.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
import { giveUpDeliveries } from '../../store/webhooks/delivery-log.ts'
import {
  findEndpoint,
  removeEndpoint,
  setEndpointStatus,
  setEndpointTarget,
  setSecretHash,
  setSigningSecret,
} from '../../store/webhooks/endpoints.ts'
import { makeSigningSecret } from '../../webhooks/sign.ts'
import { checkSecretHash, checkTargetOf, type EndpointDeps, eventList, SIGNING_SECRET_BYTES } from './add-endpoint.ts'
import { sealedPlaceOf } from './open-endpoint.ts'

export type EndpointChange =
  | { to: 'on' | 'off' }
  | { to: 'removed' }
  /** What is waiting goes to the new address; an empty list means the usual events. */
  | { to: 'new target'; url: string; events: readonly string[] }
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

/** Returns the new signing secret, if one was made. */
export async function changeEndpoint(
  deps: EndpointDeps,
  caller: AccountCaller,
  { endpointId, change }: { endpointId: string; change: EndpointChange },
): Promise<{ signingSecret?: string } | Refused> {
  const { db, clock, random } = deps
  const notValid = faultOf(deps, change)
  if (notValid !== undefined) return notValid
  const signingSecret =
    change.to === 'new signing secret' ? makeSigningSecret(random.bytes(SIGNING_SECRET_BYTES)) : undefined
  return db.transaction(async (tx) => {
    const endpoint = await findEndpoint(tx, scopeOf(caller), endpointId)
    if (endpoint === undefined) return { refused: 'endpoint_not_found' }
    await applyChange(deps, tx, endpoint, change, signingSecret)
    const { accountId } = endpoint
    const detail = { account: accountId, ...detailOf(change) }
    const earlier = { status: endpoint.status, url: endpoint.url, events: endpoint.events }
    const record = { at: clock.now(), action: ACTIONS[change.to], subject: endpointId, accountId, earlier, detail }
    await insertAudit(tx, caller, record)
    return signingSecret === undefined ? {} : { signingSecret }
  })
}

function faultOf({ rules }: EndpointDeps, change: EndpointChange): Refused | undefined {
  if (change.to === 'new secret hash') return checkSecretHash(change.secretHash)
  return change.to === 'new target' ? checkTargetOf(change, rules) : undefined
}

function detailOf(change: EndpointChange): object {
  if ('keepOldMs' in change) return { keep_old_ms: change.keepOldMs }
  return change.to === 'new target' ? { url: change.url, events: change.events.join(',') } : {}
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
      return
    case 'new target':
      await setEndpointTarget(tx, accountId, endpointId, new URL(change.url).href, eventList(change.events))
      return
    case 'new signing secret':
      await setSigningSecret(
        tx,
        endpoint,
        await sealForStore(tx, box, signingSecret, sealedPlaceOf(endpointId, 'signing_secret')),
        oldUntil,
      )
      return
    case 'new secret hash':
      await setSecretHash(
        tx,
        endpoint,
        await sealForStore(tx, box, change.secretHash, sealedPlaceOf(endpointId, 'secret_hash')),
        oldUntil,
      )
  }
}
