// Writes where a merchant's money goes: a connection, its credentials, the PI-SPI alias. Who may,
// with which proof, and whether a second owner must confirm is decided before (money-changes.ts).
// As part of a larger transaction.

import { isCountry } from '../../domain/countries/country.ts'
import {
  type MerchantConnection,
  MOST_CONNECTIONS,
} from '../../domain/merchants/merchant-connection.ts'
import { actorOf, type MerchantPerson } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import type { MasterBox } from '../../domain/sealed-box.ts'
import { insertAudit, insertMerchantAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { findProfile, setPiAlias } from '../../store/merchants/profiles.ts'
import { removeConnectionRefusals } from '../../store/operators/connections.ts'
import {
  findMerchantConnection,
  insertMerchantConnection,
  listMerchantConnections,
  setConnectionCredentials,
} from '../../store/operators/merchant-connections.ts'
import type { Deps } from '../deps.ts'

type WriteDeps = Pick<Deps, 'clock'> & { networkCredentials: MasterBox }

/** The place that sealed credentials are bound to. */
export const credentialsPlace = (connectionId: string): string => `${connectionId} credentials`

/** `askedBy` is the id of the owner who asked, when another one confirms. */
type Asked = { askedBy: string }

const auditedAsker = ({ personId }: MerchantPerson, { askedBy }: Asked): object =>
  askedBy === personId ? {} : { asker: askedBy }

export interface ConnectionToAdd
  extends Asked,
    Pick<MerchantConnection, 'connectionId' | 'connector' | 'label' | 'serves'> {
  /** Of the connector, as text. */
  options: string
}

export async function addConnectionIn(
  { clock, networkCredentials }: WriteDeps,
  tx: Queries,
  caller: MerchantPerson,
  { options, ...wanted }: ConnectionToAdd,
): Promise<{ connectionId: string } | RefusedAs<'too_many_connections'>> {
  const { accountId, environment } = caller
  const { connectionId, connector, label, serves, askedBy } = wanted
  await lockAccount(tx, accountId)
  const full = tooMany(await listMerchantConnections(tx, caller))
  if (full !== undefined) return full
  const at = clock.now()
  await insertMerchantConnection(tx, {
    accountId,
    connectionId,
    environment,
    connector,
    label,
    serves,
    credentials: await sealForStore(
      tx,
      networkCredentials,
      options,
      credentialsPlace(connectionId),
    ),
    credentialsAt: at,
    state: 'active',
    createdAt: at,
    createdBy: actorOf({ ...caller, personId: askedBy }),
  })
  const detail = { account: accountId, connector, label, serves, ...auditedAsker(caller, wanted) }
  await insertAudit(tx, caller, {
    at,
    action: 'connection.add',
    subject: connectionId,
    accountId,
    detail,
  })
  return { connectionId }
}

export function tooMany(
  own: readonly MerchantConnection[],
): RefusedAs<'too_many_connections'> | undefined {
  const { inUse, ever } = MOST_CONNECTIONS
  if (own.filter(({ state }) => state !== 'removed').length >= inUse)
    return { refused: 'too_many_connections', most: inUse }
  return own.length >= ever ? { refused: 'too_many_connections', most: ever } : undefined
}

export interface CredentialsToSet extends Asked {
  connectionId: string
  options: string
}

export async function setCredentialsIn(
  { clock, networkCredentials }: WriteDeps,
  tx: Queries,
  caller: MerchantPerson,
  { connectionId, options, ...asked }: CredentialsToSet,
): Promise<{ connectionId: string } | RefusedAs<'connection_not_found'>> {
  const { accountId, environment } = caller
  const before = await findMerchantConnection(tx, caller, connectionId)
  if (before === undefined) return { refused: 'connection_not_found' }
  const at = clock.now()
  const sealed = await sealForStore(tx, networkCredentials, options, credentialsPlace(connectionId))
  if (!(await setConnectionCredentials(tx, before, sealed, at)))
    return { refused: 'connection_not_found' }
  // Payments need not wait for the next probe.
  await removeConnectionRefusals(tx, { environment, connection: connectionId })
  const earlier = { entered_at: before.credentialsAt }
  const detail = { account: accountId, ...auditedAsker(caller, asked) }
  const record = {
    at,
    action: 'connection.credentials',
    subject: connectionId,
    accountId,
    earlier,
    detail,
  }
  await insertAudit(tx, caller, record)
  return { connectionId }
}

export interface AliasToSet extends Asked {
  /** Null removes it. */
  alias: string | null
}

export async function setPiAliasIn(
  { clock }: Pick<WriteDeps, 'clock'>,
  tx: Queries,
  caller: MerchantPerson,
  { alias, ...asked }: AliasToSet,
): Promise<{ changed: true } | RefusedAs<'account_not_found' | 'pi_alias_needs_country'>> {
  const profile = await findProfile(tx, caller.accountId)
  if (profile === undefined) return { refused: 'account_not_found' }
  const { merchantId, country, piAlias } = profile
  if (alias !== null && !isCountry(country)) return { refused: 'pi_alias_needs_country' }
  await setPiAlias(tx, merchantId, alias)
  const record = {
    at: clock.now(),
    action: 'merchant.pi-alias',
    subject: merchantId,
    earlier: { alias: piAlias },
  }
  await insertMerchantAudit(tx, caller, merchantId, {
    ...record,
    detail: { alias, ...auditedAsker(caller, asked) },
  })
  return { changed: true }
}
