// Changes of where live money goes: with the password or a code again, told to every owner and to
// staff. With several owners such a change waits for a second one, and nothing changes meanwhile
// (D-191).

import {
  detailOf,
  MONEY_CHANGE_WAIT_MS,
  type MoneyChange,
  type MoneyChangeDetail,
  type MoneyChangeState,
} from '../../domain/merchants/money-change.ts'
import { base32 } from '../../domain/payments/reference.ts'
import type { AccountCaller, MerchantPerson, ServiceItself } from '../../domain/people/caller.ts'
import { settledOwners } from '../../domain/people/owner.ts'
import { mayInAccount } from '../../domain/people/role.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import type { MasterBox } from '../../domain/sealed-box.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import {
  decideMoneyChange,
  findMoneyChange,
  insertMoneyChange,
  listEndedMoneyChanges,
  listWaitingMoneyChanges,
  replaceMoneyChange,
} from '../../store/operators/money-changes.ts'
import {
  findAccountOfMerchant,
  listAccountsOfMerchant,
  listMembers,
  lockTeam,
} from '../../store/people/members.ts'
import { namesOfPeople } from '../../store/people/people.ts'
import { refusable, rollBack } from '../deps.ts'
import { notifyMerchant, notifyStaff } from '../notices/notices.ts'
import { readRecentOwners } from '../people/owner-changes.ts'
import { type Proof, type Proven, proveAgain } from '../people/prove-again.ts'
import type { PeopleDeps } from '../people/sessions.ts'
import { addConnectionIn, setCredentialsIn, setPiAliasIn } from './money-destinations.ts'

export interface MoneyChangeDeps extends PeopleDeps {
  networkCredentials: MasterBox
}

/** The place that the sealed credentials of a waiting change are bound to. */
export const changePlace = (changeId: string): string => `${changeId} credentials`

export interface WantedChange {
  subject: string
  detail: MoneyChangeDetail
  /** The options of a connector as text. */
  options?: string
}

export type ChangeOutcome = { is: 'done' | 'waiting'; changeId: string }

/** Carries the change out, or lets it wait for a second owner. `proven` is the caller's proof. */
export const changeMoney = (
  deps: MoneyChangeDeps,
  caller: MerchantPerson,
  proven: Proven,
  wanted: WantedChange,
): Promise<ChangeOutcome | Refused> =>
  refusable(deps.db, async (tx): Promise<ChangeOutcome | Refused> => {
    const outcome = await changeIn(deps, tx, caller, proven, wanted)
    return isRefused(outcome) ? rollBack(outcome) : outcome
  })

async function changeIn(
  deps: MoneyChangeDeps,
  tx: Queries,
  caller: MerchantPerson,
  proven: Proven,
  { subject, detail, options }: WantedChange,
): Promise<ChangeOutcome | Refused> {
  const unproven = await proven.finish(tx)
  if (unproven !== undefined) return unproven
  const account = await findAccountOfMerchant(tx, caller.accountId)
  if (account === undefined) return { refused: 'account_not_found' }
  const { merchantId } = account
  const accountId = await liveAccountOf(tx, merchantId)
  await lockTeam(tx, merchantId)
  await lockAccount(tx, accountId)
  const at = deps.clock.now()
  const merchant = await merchantOf(tx, caller, at)
  if (merchant === undefined) return { refused: 'account_not_found' }
  const { settled, isOneRemoved } = merchant
  const is = settled.some((personId) => personId !== caller.personId) ? 'waiting' : 'done'
  if (is === 'done' && isOneRemoved) return { refused: 'owner_removed_lately' }
  const changeId = `chg_${base32(deps.random.bytes(10), 16)}`
  await replaceMoneyChange(tx, { accountId, subject }, { by: caller.personId, at })
  const waits = is === 'waiting' && options !== undefined
  const change: MoneyChange = {
    accountId,
    changeId,
    kind: detail.kind,
    subject,
    detail: JSON.stringify(detail),
    credentials: waits
      ? await sealForStore(tx, deps.networkCredentials, options, changePlace(changeId))
      : null,
    askedBy: caller.personId,
    askedAt: at,
    endsAt: at + MONEY_CHANGE_WAIT_MS,
    state: is,
    decidedBy: is === 'done' ? caller.personId : null,
    decidedAt: is === 'done' ? at : null,
  }
  await insertMoneyChange(tx, change)
  if (is === 'done') {
    const refused = await carryOut(deps, tx, caller, change, options)
    if (refused !== undefined) return refused
  } else {
    const shown = { change: changeId, ...detail }
    await insertAudit(tx, caller, { at, action: 'money.ask', subject, accountId, detail: shown })
  }
  await announce(tx, at, change, is)
  return { is, changeId }
}

async function liveAccountOf(db: Queries, merchantId: string): Promise<string> {
  const live = (await listAccountsOfMerchant(db, merchantId)).find(
    ({ environment }) => environment === 'live',
  )
  if (live === undefined) throw new Error('a merchant has no live account')
  return live.accountId
}

async function carryOut(
  deps: MoneyChangeDeps,
  tx: Queries,
  caller: MerchantPerson,
  change: MoneyChange,
  options = '',
): Promise<Refused | undefined> {
  const { accountId, subject, askedBy } = change
  const detail = detailOf(change)
  const live = { ...caller, accountId, environment: 'live' } as const
  const carried = async (): Promise<object> => {
    switch (detail.kind) {
      case 'connection':
        return addConnectionIn(deps, tx, live, {
          ...detail,
          connectionId: subject,
          options,
          askedBy,
        })
      case 'credentials':
        return setCredentialsIn(deps, tx, live, { connectionId: subject, options, askedBy })
      default:
        return setPiAliasIn(deps, tx, live, { alias: detail.alias, askedBy })
    }
  }
  const done = await carried()
  return isRefused(done) ? done : undefined
}

/**
 * To every owner, and while it matters to staff too. Each state of each change has emails of its
 * own.
 */
async function announce(
  tx: Queries,
  now: number,
  change: MoneyChange,
  state: MoneyChangeState,
): Promise<void> {
  const { accountId, changeId } = change
  const notice = { kind: 'money_change', about: `${changeId} ${state}` } as const
  await notifyMerchant(tx, now, { ...notice, accountId, cause: notice.about })
  if (state === 'waiting' || state === 'done') await notifyStaff(tx, now, notice, notice.about)
}

/** An alias that was removed meanwhile: nothing of an earlier one may come back. */
export async function endWaitingAlias(
  { clock }: Pick<MoneyChangeDeps, 'clock'>,
  tx: Queries,
  { personId }: MerchantPerson,
  merchantId: string,
): Promise<void> {
  const accountId = await liveAccountOf(tx, merchantId)
  await replaceMoneyChange(
    tx,
    { accountId, subject: merchantId },
    { by: personId, at: clock.now() },
  )
}

export interface ShownMoneyChange extends Pick<MoneyChange, 'changeId' | 'askedAt' | 'endsAt'> {
  detail: MoneyChangeDetail
  askedBy: string
  isOwn: boolean
}

/** What waits for a second owner. */
export async function listMoneyChanges(
  { db, clock }: Pick<MoneyChangeDeps, 'db' | 'clock'>,
  caller: AccountCaller,
): Promise<{ rows: ShownMoneyChange[] } | RefusedAs<'caller_not_allowed'>> {
  if (!isOwner(caller)) return { refused: 'caller_not_allowed' }
  const now = clock.now()
  const merchant = await merchantOf(db, caller, now)
  if (merchant === undefined) return { refused: 'caller_not_allowed' }
  const { accountId, owners } = merchant
  const waiting = await listWaitingMoneyChanges(db, accountId, now)
  const valid = waiting.filter(({ askedBy }) => owners.includes(askedBy))
  const names = await namesOfPeople(
    db,
    valid.map(({ askedBy }) => askedBy),
  )
  return {
    rows: valid.map((change) => ({
      changeId: change.changeId,
      askedAt: change.askedAt,
      endsAt: change.endsAt,
      detail: detailOf(change),
      askedBy: names.get(change.askedBy) ?? change.askedBy,
      isOwn: change.askedBy === caller.personId,
    })),
  }
}

const isOwner = (caller: AccountCaller): caller is MerchantPerson =>
  caller.is === 'merchant_person' && mayInAccount(caller.role, 'manageConnections')

/** The caller's account, its merchant, who its owners are and which of them count (D-214). */
async function merchantOf(db: Queries, caller: MerchantPerson, now: number) {
  const account = await findAccountOfMerchant(db, caller.accountId)
  if (account === undefined) return undefined
  const { merchantId } = account
  const members = await listMembers(db, merchantId)
  const owners = members
    .filter(({ role }) => mayInAccount(role, 'manageConnections'))
    .map(({ personId }) => personId)
  const recent = await readRecentOwners(db, caller, now)
  const settled = settledOwners(owners, recent)
  const isTooNew = (personId: string): boolean =>
    recent.made.has(personId) && !settled.includes(personId)
  const { isOneRemoved } = recent
  return { accountId: caller.accountId, merchantId, owners, settled, isTooNew, isOneRemoved }
}

/** A second owner confirms, with their own proof: it takes effect at once. */
export async function confirmMoneyChange(
  deps: MoneyChangeDeps,
  caller: AccountCaller,
  { changeId, ...proof }: { changeId: string } & Proof,
): Promise<{ is: 'done' } | Refused> {
  if (!isOwner(caller)) return { refused: 'caller_not_allowed' }
  const found = await findWaiting(deps, deps.db, caller, changeId)
  if (isRefused(found)) return found
  if (found.askedBy === caller.personId) return { refused: 'second_owner_needed' }
  const proven = await proveAgain(deps, caller, proof)
  if (isRefused(proven)) return proven
  return refusable(deps.db, async (tx): Promise<{ is: 'done' } | Refused> => {
    const account = await findAccountOfMerchant(tx, caller.accountId)
    if (account !== undefined) await lockTeam(tx, account.merchantId)
    const merchant = await merchantOf(tx, caller, deps.clock.now())
    if (merchant?.isTooNew(caller.personId) === true) return { refused: 'second_owner_needed' }
    await lockAccount(tx, found.accountId)
    // Read again: its asker may have left, and another owner may have been first.
    const change = await findWaiting(deps, tx, caller, changeId)
    if (isRefused(change)) return change
    const unproven = await proven.finish(tx)
    if (unproven !== undefined) return unproven
    const at = deps.clock.now()
    const { accountId, credentials, subject } = change
    const options =
      credentials === null
        ? undefined
        : deps.networkCredentials.open(credentials, changePlace(changeId))
    if (!(await decideMoneyChange(tx, change, { state: 'done', by: caller.personId, at })))
      return { refused: 'money_change_not_found' }
    // Rolled back: the change stays open when it cannot be carried out.
    const refused = await carryOut(deps, tx, caller, change, options)
    if (refused !== undefined) rollBack(refused)
    await insertAudit(tx, caller, {
      at,
      action: 'money.confirm',
      subject,
      accountId,
      detail: { change: changeId },
    })
    await announce(tx, at, change, 'done')
    return { is: 'done' }
  })
}

/** By any owner, the one who asked too. It needs no proof: nothing changes. */
export async function rejectMoneyChange(
  deps: Pick<MoneyChangeDeps, 'db' | 'clock'>,
  caller: AccountCaller,
  { changeId }: { changeId: string },
): Promise<{ is: 'rejected' } | RefusedAs<'caller_not_allowed' | 'money_change_not_found'>> {
  if (!isOwner(caller)) return { refused: 'caller_not_allowed' }
  return deps.db.transaction(async (tx) => {
    const change = await findWaiting(deps, tx, caller, changeId)
    if (isRefused(change)) return change
    const at = deps.clock.now()
    if (
      !(await decideMoneyChange(tx, change, {
        state: 'rejected',
        by: caller.personId,
        at,
      }))
    )
      return { refused: 'money_change_not_found' }
    const { accountId, subject } = change
    await insertAudit(tx, caller, {
      at,
      action: 'money.reject',
      subject,
      accountId,
      detail: { change: changeId },
    })
    await announce(tx, at, change, 'rejected')
    return { is: 'rejected' }
  })
}

/** Not found once it ended, and once its asker is no owner any more. */
async function findWaiting(
  { clock }: Pick<MoneyChangeDeps, 'clock'>,
  db: Queries,
  caller: MerchantPerson,
  changeId: string,
): Promise<MoneyChange | RefusedAs<'money_change_not_found'>> {
  const merchant = await merchantOf(db, caller, clock.now())
  if (merchant === undefined) return { refused: 'money_change_not_found' }
  const change = await findMoneyChange(db, merchant, changeId)
  const waits =
    change?.state === 'waiting' &&
    change.endsAt > clock.now() &&
    merchant.owners.includes(change.askedBy)
  return waits ? change : { refused: 'money_change_not_found' }
}

const ENDED_AT_ONCE = 100

/**
 * Those that no second owner confirmed in time: without effect, and their credentials are removed.
 */
export async function endOldMoneyChanges(
  { db, clock }: Pick<MoneyChangeDeps, 'db' | 'clock'>,
  caller: ServiceItself,
): Promise<{ ended: number }> {
  const ended = await listEndedMoneyChanges(db, clock.now(), ENDED_AT_ONCE)
  for (const change of ended) {
    await db.transaction(async (tx) => {
      const at = clock.now()
      if (!(await decideMoneyChange(tx, change, { state: 'expired', by: null, at }))) return
      const { accountId, subject, changeId } = change
      await insertAudit(tx, caller, {
        at,
        action: 'money.expire',
        subject,
        accountId,
        detail: { change: changeId },
      })
      await announce(tx, at, change, 'expired')
    })
  }
  return { ended: ended.length }
}
