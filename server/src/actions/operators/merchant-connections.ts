// A merchant's own connections: the owner enters credentials, which are tested with a call that
// moves no money, sealed, and never shown again. Suspending or removing a connection stops new
// payments only (D-155, ADR-0020).

import type { Environment } from '../../domain/environment.ts'
import {
  CONNECTION_ID_BYTES,
  type CredentialTest,
  isLabel,
  isMerchantConnection,
  LONGEST_LABEL,
  type MerchantConnection,
  type MerchantConnectionState,
  makeConnectionId,
  type SealedConnection,
} from '../../domain/merchants/merchant-connection.ts'
import type { ConnectionPause, SeenHealth } from '../../domain/operators/connection.ts'
import type { AccountCaller, MerchantPerson, Scope } from '../../domain/people/caller.ts'
import { mayInAccount } from '../../domain/people/role.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import type { MasterBox } from '../../domain/sealed-box.ts'
import { insertAudit, listAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { listHealth, listPauses } from '../../store/operators/connections.ts'
import {
  findMerchantConnection,
  labelsOfConnections,
  listMerchantConnections,
  setConnectionState,
} from '../../store/operators/merchant-connections.ts'
import { replaceMoneyChange } from '../../store/operators/money-changes.ts'
import type { Deps } from '../deps.ts'
import { connectionTries, takeTry } from '../limits/limited-tries.ts'
import { type Proof, type Proven, proveAgain, refuseWithoutProof } from '../people/prove-again.ts'
import { type ChangeOutcome, changeMoney, type MoneyChangeDeps } from './money-changes.ts'
import {
  addConnectionIn,
  credentialsPlace,
  setCredentialsIn,
  tooMany,
} from './money-destinations.ts'

export interface OfferedNetwork {
  connector: string
  /** The operators that it can prompt, and the methods of its page. */
  serves: readonly string[]
  fields: readonly { name: string; isOptional?: true; choices?: readonly string[] }[]
}

type FieldRefused = RefusedAs<'connector_not_available' | 'credentials_not_valid'>

/** The connectors that merchants can use. Addresses are the service's: a merchant enters none. */
export interface MerchantNetworks {
  offered(environment: Environment): readonly OfferedNetwork[]
  /** The options of the connector as text, from what the merchant entered. */
  readFields(
    environment: Environment,
    connector: string,
    fields: EnteredFields,
  ): { options: string } | FieldRefused
  /** One call that moves no money. Never throws, and has a deadline. */
  test(environment: Environment, connector: string, options: string): Promise<CredentialTest>
}

export type EnteredFields = Readonly<Record<string, string>>

export interface MerchantConnectionDeps extends Pick<Deps, 'db' | 'clock' | 'random'> {
  networkCredentials: MasterBox
  networks: MerchantNetworks
}

const isOwner = (caller: AccountCaller): caller is MerchantPerson =>
  caller.is === 'merchant_person' && mayInAccount(caller.role, 'manageConnections')

export interface ShownConnection extends MerchantConnection {
  health: Pick<SeenHealth, 'state' | 'since' | 'why' | 'misconfigured'> | undefined
  /** By staff. */
  pause: Pick<ConnectionPause, 'since' | 'reason'> | undefined
  /** When its merchant suspended it; undefined when it is not suspended. */
  suspendedAt: number | undefined
}

export async function showMerchantConnections(
  { db, networks }: Pick<MerchantConnectionDeps, 'db' | 'networks'>,
  caller: MerchantPerson,
): Promise<{ rows: ShownConnection[]; offered: readonly OfferedNetwork[] }> {
  return {
    rows: await connectionsOfAccount(db, caller),
    offered: networks.offered(caller.environment),
  }
}

/** Without removed ones. */
export async function connectionsOfAccount(
  db: Queries,
  account: { accountId: string },
): Promise<ShownConnection[]> {
  const all = await listMerchantConnections(db, account)
  const own = all.filter(({ state }) => state !== 'removed')
  if (own.length === 0) return []
  const [health, pauses] = [await listHealth(db), await listPauses(db)]
  return Promise.all(
    own.map(async (row) => ({
      ...row,
      health: health.find(({ connection }) => connection === row.connectionId),
      pause: pauses.find(({ connection }) => connection === row.connectionId),
      suspendedAt:
        row.state === 'suspended' ? await suspendedAt(db, account, row.connectionId) : undefined,
    })),
  )
}

async function suspendedAt(
  db: Queries,
  account: { accountId: string },
  subject: string,
): Promise<number | undefined> {
  const filter = { since: 0, subject, action: STATE_ACTIONS.suspended }
  return (await listAudit(db, account, filter, Number.MAX_SAFE_INTEGER, 1))[0]?.at
}

export interface NewConnection {
  connector: string
  label: string
  serves: readonly string[]
  fields: EnteredFields
}

type TestRefused = RefusedAs<'too_many_tries' | 'credentials_refused' | 'network_not_reached'>

/** In live with the owner's proof again; with several owners it waits for a second one (D-191). */
export async function addMerchantConnection(
  deps: ConnectionChangeDeps,
  caller: AccountCaller,
  { connector, label, serves, fields, ...proof }: NewConnection & Proof,
): Promise<ConnectionChanged | Refused> {
  const { db, random, networks } = deps
  if (!isOwner(caller)) return { refused: 'caller_not_allowed' }
  const { environment } = caller
  if (!isLabel(label)) return { refused: 'connection_label_not_valid', longest: LONGEST_LABEL }
  const possible =
    networks.offered(environment).find((each) => each.connector === connector)?.serves ?? []
  const read = networks.readFields(environment, connector, fields)
  if (isRefused(read)) return read
  if (serves.length === 0 || !serves.every((name) => possible.includes(name)))
    return { refused: 'connection_serves_not_valid' }
  const full = tooMany(await listMerchantConnections(db, caller))
  if (full !== undefined) return full
  const ready = await readyFor(deps, caller, { connector, options: read.options, proof })
  if (isRefused(ready)) return ready

  const connectionId = makeConnectionId(random.bytes(CONNECTION_ID_BYTES))
  const { options } = read
  const wanted = { connector, label, serves: [...new Set(serves)].join(',') }
  if (ready.proven !== undefined) {
    const change = {
      subject: connectionId,
      detail: { kind: 'connection', ...wanted },
      options,
    } as const
    return changedBy(connectionId, await changeMoney(deps, caller, ready.proven, change))
  }
  const added = await db.transaction((tx) =>
    addConnectionIn(deps, tx, caller, {
      connectionId,
      ...wanted,
      options,
      askedBy: caller.personId,
    }),
  )
  return isRefused(added) ? added : { ...added, is: 'done' }
}

export interface ConnectionChanged {
  connectionId: string
  /** `waiting`: for a second owner; nothing has changed yet. */
  is: 'done' | 'waiting'
}

export interface ConnectionChangeDeps extends MerchantConnectionDeps, MoneyChangeDeps {}

const changedBy = (
  connectionId: string,
  outcome: ChangeOutcome | Refused,
): ConnectionChanged | Refused => (isRefused(outcome) ? outcome : { connectionId, is: outcome.is })

/** The network takes the credentials, and in live the owner proves to be who they are. */
async function readyFor(
  deps: ConnectionChangeDeps,
  caller: MerchantPerson,
  { connector, options, proof }: { connector: string; options: string; proof: Proof },
): Promise<{ proven: Proven | undefined } | Refused> {
  const isGuarded = caller.environment === 'live'
  const missing = isGuarded ? await refuseWithoutProof(deps, caller, proof) : undefined
  if (missing !== undefined) return missing
  const untaken = await tested(deps, caller, connector, options)
  if (untaken !== undefined) return untaken
  if (!isGuarded) return { proven: undefined }
  const proven = await proveAgain(deps, caller, proof)
  return isRefused(proven) ? proven : { proven }
}

/**
 * Undefined when the network takes the credentials. A try counts before the call, in all processes.
 */
async function tested(
  deps: MerchantConnectionDeps,
  { accountId, environment }: MerchantPerson,
  connector: string,
  options: string,
): Promise<TestRefused | undefined> {
  const taken = await takeTry(deps, [connectionTries(accountId)])
  if (isRefused(taken)) return taken
  const outcome = await deps.networks.test(environment, connector, options)
  if (outcome.is === 'accepted') return undefined
  return {
    refused: outcome.is === 'refused' ? 'credentials_refused' : 'network_not_reached',
    why: outcome.why,
  }
}

type ChangeRefused = RefusedAs<'caller_not_allowed' | 'connection_not_found'>

/** Undefined where the caller has none of this name; one that was removed cannot be changed. */
async function findOwn(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  connectionId: string,
): Promise<{ owner: MerchantPerson; connection: SealedConnection } | ChangeRefused> {
  if (!isOwner(caller)) return { refused: 'caller_not_allowed' }
  const connection = await findMerchantConnection(db, caller, connectionId)
  if (connection === undefined || connection.state === 'removed')
    return { refused: 'connection_not_found' }
  return { owner: caller, connection }
}

/**
 * New keys of the same account at the network: the connection keeps its id, and its payments are
 * polled with them.
 */
export async function replaceConnectionCredentials(
  deps: ConnectionChangeDeps,
  caller: AccountCaller,
  { connectionId, fields, ...proof }: { connectionId: string; fields: EnteredFields } & Proof,
): Promise<ConnectionChanged | Refused> {
  const { db, networks } = deps
  const own = await findOwn(deps, caller, connectionId)
  if (isRefused(own)) return own
  const { owner, connection } = own
  const { environment, connector, label } = connection
  const read = networks.readFields(environment, connector, fields)
  if (isRefused(read)) return read
  const { options } = read
  const ready = await readyFor(deps, owner, { connector, options, proof })
  if (isRefused(ready)) return ready
  if (ready.proven !== undefined) {
    const change = {
      subject: connectionId,
      detail: { kind: 'credentials', label },
      options,
    } as const
    return changedBy(connectionId, await changeMoney(deps, owner, ready.proven, change))
  }
  const set = await db.transaction((tx) =>
    setCredentialsIn(deps, tx, owner, { connectionId, options, askedBy: owner.personId }),
  )
  return isRefused(set) ? set : { ...set, is: 'done' }
}

export async function testMerchantConnection(
  deps: MerchantConnectionDeps,
  caller: AccountCaller,
  { connectionId }: { connectionId: string },
): Promise<{ connectionId: string } | ChangeRefused | TestRefused> {
  const own = await findOwn(deps, caller, connectionId)
  if (isRefused(own)) return own
  const { connector, credentials } = own.connection
  const options = deps.networkCredentials.open(credentials, credentialsPlace(connectionId))
  return (await tested(deps, own.owner, connector, options)) ?? { connectionId }
}

const STATE_ACTIONS: Readonly<Record<MerchantConnectionState, string>> = {
  active: 'connection.activate',
  suspended: 'connection.suspend',
  removed: 'connection.remove',
}

/** Repeating a change does nothing. */
export async function changeMerchantConnection(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  { connectionId, to }: { connectionId: string; to: MerchantConnectionState },
): Promise<{ connectionId: string } | ChangeRefused> {
  const own = await findOwn({ db }, caller, connectionId)
  if (isRefused(own)) return own
  const { accountId, state } = own.connection
  if (state === to) return { connectionId }
  return db.transaction(async (tx): Promise<{ connectionId: string } | ChangeRefused> => {
    if (!(await setConnectionState(tx, own.connection, to)))
      return { refused: 'connection_not_found' }
    const at = clock.now()
    // Credentials that wait for a second owner have nothing to go to.
    if (to === 'removed')
      await replaceMoneyChange(
        tx,
        { accountId, subject: connectionId },
        { by: own.owner.personId, at },
      )
    const record = {
      at,
      action: STATE_ACTIONS[to],
      subject: connectionId,
      accountId,
      earlier: { state },
    }
    await insertAudit(tx, caller, { ...record, detail: { account: accountId } })
    return { connectionId }
  })
}

/**
 * For lists whose rows have only the id: a function that adds the label; null for a connection of
 * the installation.
 */
export async function labelConnections(
  { db }: { db: Queries },
  scope: Scope,
  rows: Iterable<{ connection: string }>,
): Promise<
  <Row extends { connection: string }>(row: Row) => Row & { connectionLabel: string | null }
> {
  const ids = new Set([...rows].map(({ connection }) => connection).filter(isMerchantConnection))
  const labels = await labelsOfConnections(db, scope, [...ids])
  return (row) => ({ ...row, connectionLabel: labels.get(row.connection) ?? null })
}
