// The queue of emails.
import type { Database, Queries } from '../engine/database.ts'
import { columnsOf, insertRow, updateRows } from '../rows.ts'

type MailKind = 'password_reset' | 'password_changed' | 'invitation' | 'confirm_address' | 'statement'

export interface Mail {
  mailId: string
  email: string
  kind: MailKind
  /** What it is about: an invitation, a person who signed up, a statement; empty for none. */
  about: string
  createdAt: number
  attempts: number
}

const MAIL = columnsOf<Mail>()('mailId email kind about createdAt attempts')

export const insertMail = (tx: Queries, { mailId, email, kind, about, createdAt }: Mail) =>
  insertRow(tx, 'mails', { mailId, email, kind, about, createdAt, dueAt: createdAt })

/** No other process gets them until the lease expires. */
export const claimMails = (db: Database, now: number, leaseMs: number, most: number) =>
  db.rows<Mail>(
    `with due as materialized (
       select mail_id as due_id from mails where due_at <= $1 order by due_at limit $3 ${db.skipLocked}
     )
     update mails set due_at = $2, attempts = attempts + 1 from due where mail_id = due_id returning ${MAIL}`,
    [now, now + leaseMs, most],
  )

/** `sentAt` is null when it had no recipient. */
export const endMail = (db: Queries, mailId: string, sentAt: number | null) =>
  updateRows(db, 'mails', { mailId }, { dueAt: null, sentAt, lastError: null })

/** Tried again at `dueAt`; given up when that is null. */
export const postponeMail = (db: Queries, mailId: string, lastError: string, dueAt: number | null) =>
  updateRows(db, 'mails', { mailId }, { dueAt, lastError })

export const removeOldMails = (db: Queries, before: number, most: number) =>
  db.change(
    `delete from mails where mail_id in (
       select mail_id from mails where due_at is null and created_at < $1 limit $2)`,
    [before, most],
  )
