// Turns an endpoint on or off, removes it, or changes its secrets. What is owed to it waits while it is off (D-28); an old secret can
// stay valid beside the new one for a while.
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { giveUpDeliveries } from '../../store/webhooks/delivery-log.ts'
import {
  type EndpointRow,
  findEndpoint,
  removeEndpoint,
  setEndpointStatus,
  setSecretHash,
  setSigningSecret,
} from '../../store/webhooks/endpoints.ts'
import { makeSigningSecret } from '../../webhooks/sign.ts'
import { checkSecretHash, type EndpointDeps, type NotDone, SIGNING_SECRET_BYTES } from './add-endpoint.ts'
import { placeOf } from './open-endpoint.ts'

export interface EndpointName {
  accountId: string
  endpointId: string
}

export type EndpointChange =
  | { to: 'on' | 'off' }
  | { to: 'removed' }
  | { to: 'new signing secret'; keepOldMs: number }
  | { to: 'new secret hash'; secretHash: string; keepOldMs: number }

const ACTIONS = {
  on: 'webhook.enable',
  off: 'webhook.disable',
  removed: 'webhook.remove',
  'new signing secret': 'webhook.roll-secret',
  'new secret hash': 'webhook.roll-secret-hash',
} as const

/** Gives back the new signing secret where there is one. */
export async function changeEndpoint(
  deps: EndpointDeps,
  { accountId, endpointId }: EndpointName,
  change: EndpointChange,
  actor: string,
): Promise<{ signingSecret?: string } | NotDone> {
  const { db, clock, random } = deps
  const notValid = change.to === 'new secret hash' ? checkSecretHash(change.secretHash) : undefined
  if (notValid !== undefined) return notValid
  const signingSecret =
    change.to === 'new signing secret' ? makeSigningSecret(random.bytes(SIGNING_SECRET_BYTES)) : undefined
  return db.transaction(async (tx) => {
    const now = clock.now()
    const row = await findEndpoint(tx, accountId, endpointId)
    if (row === undefined) return { because: `There is no endpoint ${endpointId}.` }
    await carryOut(deps, tx, row, change, signingSecret)
    const detail = { account: accountId, ...('keepOldMs' in change ? { keep_old_ms: change.keepOldMs } : {}) }
    await insertAudit(tx, { at: now, actor, action: ACTIONS[change.to], subject: endpointId, detail })
    return signingSecret === undefined ? {} : { signingSecret }
  })
}

async function carryOut(
  { box, clock }: EndpointDeps,
  tx: Queries,
  row: EndpointRow,
  change: EndpointChange,
  signingSecret = '',
): Promise<void> {
  const { account_id: accountId, endpoint_id: endpointId } = row
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
    case 'new signing secret':
      await setSigningSecret(tx, row, box.seal(signingSecret, placeOf(endpointId, 'signing_secret')), oldUntil)
      return
    case 'new secret hash':
      await setSecretHash(tx, row, box.seal(change.secretHash, placeOf(endpointId, 'secret_hash')), oldUntil)
  }
}
