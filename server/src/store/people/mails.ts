// The queue of emails, who gets those that Karba sends by itself, and which of them a person has
// switched off.
import type { NoticeKind } from '../../domain/people/notice.ts'
import type { MerchantRole, ServiceRole } from '../../domain/people/role.ts'
import type { Database, Queries } from '../engine/database.ts'
import {
  changesOne,
  columnsOf,
  deleteRows,
  insertNew,
  insertRow,
  isAnyDue,
  listOf,
  updateRows,
} from '../rows.ts'

type MailKind =
  | 'password_reset'
  | 'password_changed'
  | 'invitation'
  | 'confirm_address'
  | 'statement'
  | NoticeKind

export interface Mail {
  mailId: string
  email: string
  kind: MailKind
  /**
   * What it is about: an invitation, a person who signed up, an endpoint, a statement; empty for
   * none.
   */
  about: string
  createdAt: number
  attempts: number
}

const MAIL = columnsOf<Mail>({
  mailId: 'mail_id',
  email: 'email',
  kind: 'kind',
  about: 'about',
  createdAt: 'created_at',
  attempts: 'attempts',
})

export const insertMail = (tx: Queries, { mailId, email, kind, about, createdAt }: Mail) =>
  insertRow(tx, 'mails', { mailId, email, kind, about, createdAt, dueAt: createdAt })

/** False when the person has had one of this kind about this cause since a time. */
export const insertNotice = (
  tx: Queries,
  { mailId, email, kind, about, createdAt }: Omit<Mail, 'attempts'>,
  cause: string,
  since: number,
): Promise<boolean> =>
  changesOne(
    tx,
    `insert into mails (mail_id, email, kind, about, cause, created_at, due_at)
     select cast(:mailId as text), cast(:email as text), cast(:kind as text), cast(:about as text),
       cast(:cause as text),
       cast(:createdAt as bigint), cast(:createdAt as bigint)
     where not exists (select 1 from mails
       where email = :email and kind = :kind and cause = :cause and created_at > :since)
     on conflict do nothing`,
    { mailId, email, kind, about, cause, createdAt, since },
  )

/** No other process gets them until the lease expires. */
export async function claimMails(
  db: Database,
  now: number,
  leaseMs: number,
  most: number,
): Promise<Mail[]> {
  if (!(await isAnyDue(db, 'mails', now))) return []
  return db.write<Mail>(
    `with due as materialized (
       select mail_id as due_id from mails where due_at <= :now
       order by due_at limit :most ${db.skipLocked}
     )
     update mails set due_at = :dueAt, attempts = attempts + 1 from due where mail_id = due_id
     returning ${MAIL}`,
    { now, dueAt: now + leaseMs, most },
  )
}

/** `sentAt` is null when it had no recipient. */
export const endMail = (db: Queries, mailId: string, sentAt: number | null) =>
  updateRows(db, 'mails', { mailId }, { dueAt: null, sentAt, lastError: null })

/** Tried again at `dueAt`; given up when that is null. */
export const postponeMail = (
  db: Queries,
  mailId: string,
  lastError: string,
  dueAt: number | null,
) => updateRows(db, 'mails', { mailId }, { dueAt, lastError })

export const removeOldMails = (db: Queries, before: number, most: number) =>
  db.change(
    `delete from mails where mail_id in (
       select mail_id from mails where due_at is null and created_at < :before limit :most)`,
    { before, most },
  )

// Recipients: people with a confirmed address who have not switched the kind off.

/** More people of one team or of the staff get no email. */
const MOST_RECIPIENTS = 50

const WANTS_IT = `p.removed_at is null and p.unconfirmed_email is null
  and not exists (select 1 from emails_off o where o.person_id = p.person_id and o.kind = :kind)`

export const listMerchantRecipients = (
  db: Queries,
  kind: NoticeKind,
  accountId: string,
  roles: readonly MerchantRole[],
) => {
  const listed = listOf('role', roles)
  return db.read<{ email: string }>(
    `select p.email from accounts a join merchant_people m on m.merchant_id = a.merchant_id
     join people p on p.person_id = m.person_id
     where a.account_id = :accountId and m.role in (${listed.places}) and ${WANTS_IT}
     order by m.created_at limit ${MOST_RECIPIENTS}`,
    { kind, accountId, ...listed.values },
  )
}

export const listStaffRecipients = (
  db: Queries,
  kind: NoticeKind,
  roles: readonly ServiceRole[],
) => {
  const listed = listOf('role', roles)
  return db.read<{ email: string }>(
    `select p.email from people p where p.service_role in (${listed.places}) and ${WANTS_IT}
     order by p.created_at limit ${MOST_RECIPIENTS}`,
    { kind, ...listed.values },
  )
}

export const listOwnAddress = (db: Queries, kind: NoticeKind, personId: string) =>
  db.read<{ email: string }>(
    `select p.email from people p where p.person_id = :personId and ${WANTS_IT}`,
    { kind, personId },
  )

/** The kinds of email that a person has switched off. */
export const listEmailsOff = async (db: Queries, personId: string): Promise<string[]> => {
  const rows = await db.read<{ kind: string }>(
    'select kind from emails_off where person_id = :personId',
    { personId },
  )
  return rows.map(({ kind }) => kind)
}

export const switchEmailOff = (tx: Queries, personId: string, kind: NoticeKind) =>
  insertNew(tx, 'emails_off', { personId, kind })

export const switchEmailOn = (tx: Queries, personId: string, kind: NoticeKind) =>
  deleteRows(tx, 'emails_off', { personId, kind })
