// Queues the emails that Karba sends by itself, in the commit of their cause, and keeps each
// person's choice of them.
import { hash } from 'node:crypto'
import { base32 } from '../../domain/payments/reference.ts'
import { EVERY_ACCOUNT, type Person } from '../../domain/people/caller.ts'
import {
  type ChosenNotice,
  merchantRolesFor,
  type NoticeKind,
  noticesOf,
  ONE_NOTICE_EVERY_MS,
  placeOf,
  staffRolesFor,
} from '../../domain/people/notice.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { insertAudit, listAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import {
  insertNotice,
  listEmailsOff,
  listMerchantRecipients,
  listOwnAddress,
  listStaffRecipients,
  switchEmailOff,
  switchEmailOn,
} from '../../store/people/mails.ts'
import { listAccountsOfPerson } from '../../store/people/members.ts'
import { findPerson } from '../../store/people/people.ts'
import { listSessions } from '../../store/people/sessions.ts'
import type { Deps } from '../deps.ts'

export interface Notice {
  kind: NoticeKind
  /** What the email is about: looked up when it is sent. */
  about: string
}

/** To the people of the account's merchant. `cause`: at most one an hour about it. */
export async function notifyMerchant(
  tx: Queries,
  now: number,
  { accountId, cause, ...notice }: Notice & { accountId: string; cause: string },
): Promise<void> {
  const { kind } = notice
  const recipients = await listMerchantRecipients(tx, kind, accountId, merchantRolesFor(kind))
  await queue(tx, now, notice, recipients, cause)
}

/**
 * To the staff: at most one an hour of each kind, since their list of tasks has the others. Or one
 * of each cause.
 */
export async function notifyStaff(
  tx: Queries,
  now: number,
  notice: Notice,
  cause = 'staff',
): Promise<void> {
  const recipients = await listStaffRecipients(tx, notice.kind, staffRolesFor(notice.kind))
  await queue(tx, now, notice, recipients, cause)
}

/** Earlier sign-ins whose places count as known. */
const MOST_SIGN_INS = 50

/**
 * When none of the person's earlier sign-ins came from this place. Before the new session begins.
 */
export async function notifyOfNewPlace(
  tx: Queries,
  now: number,
  personId: string,
  network: string,
): Promise<void> {
  const sessions = await listSessions(tx, personId)
  const filter = { since: 0, subject: personId, action: 'person.sign_in' }
  const signIns = await listAudit(tx, EVERY_ACCOUNT, filter, Number.MAX_SAFE_INTEGER, MOST_SIGN_INS)
  const known = [...sessions, ...signIns].map((each) => each.network ?? '')
  if (known.length === 0 || known.some((each) => placeOf(each) === placeOf(network))) return
  const recipients = await listOwnAddress(tx, 'new_sign_in', personId)
  await queue(tx, now, { kind: 'new_sign_in', about: network }, recipients, personId)
}

async function queue(
  tx: Queries,
  createdAt: number,
  { kind, about }: Notice,
  recipients: readonly { email: string }[],
  cause: string,
): Promise<void> {
  for (const { email } of recipients) {
    // The same id within the hour: of two processes that queue it at the same time, one does.
    const hour = Math.floor(createdAt / ONE_NOTICE_EVERY_MS)
    const mailId = `mail_${base32(hash('sha256', `${kind} ${cause} ${email} ${hour}`, 'buffer'), 16)}`
    await insertNotice(
      tx,
      { mailId, email, kind, about, createdAt },
      cause,
      createdAt - ONE_NOTICE_EVERY_MS,
    )
  }
}

export type EmailChoice = { kind: ChosenNotice; isOn: boolean }

/** The kinds that the person may get, and whether each is on. */
export async function listEmailChoices(
  { db }: Pick<Deps, 'db'>,
  { personId }: Person,
): Promise<{ rows: EmailChoice[] } | RefusedAs<'signed_out'>> {
  const person = await findPerson(db, personId)
  if (person === undefined) return { refused: 'signed_out' }
  const off = await listEmailsOff(db, personId)
  const roles = (await listAccountsOfPerson(db, personId)).map(({ role }) => role)
  return {
    rows: noticesOf(roles, person.serviceRole).map((kind) => ({ kind, isOn: !off.includes(kind) })),
  }
}

export async function chooseEmail(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: Person,
  { kind, isOn }: EmailChoice,
): Promise<{ changed: true }> {
  const { personId } = caller
  return db.transaction(async (tx) => {
    if (isOn) await switchEmailOn(tx, personId, kind)
    else await switchEmailOff(tx, personId, kind)
    const record = {
      at: clock.now(),
      action: 'person.emails',
      subject: personId,
      detail: { kind, on: isOn },
    }
    await insertAudit(tx, caller, record)
    return { changed: true }
  })
}
