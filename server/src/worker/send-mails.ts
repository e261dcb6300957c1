// Sends due emails: claims a few, writes each with a new token, hands it to the sender with nothing
// locked, and records the result. A failed email is tried again for a day, each time later; a crash
// in between means a second email, and only the newest token works.
import { type Email, type EmailDeps, writeEmail } from '../actions/emails/emails.ts'
import type { ServiceItself } from '../domain/people/caller.ts'
import { claimMails, endMail, type Mail, postponeMail } from '../store/people/mails.ts'

export interface MailSender {
  /** Rejects when the email did not leave, within its own deadline. */
  send(email: Email): Promise<void>
  close(): Promise<void>
}

export interface SendMailsDeps extends EmailDeps {
  sender: MailSender
  /** Called when an email is given up. */
  givenUp(mail: Mail, error: string): void
}

const MAILS: ServiceItself = { is: 'service', part: 'mails' }
const MOST_AT_ONCE = 5
/** Longer than the sender's deadline. */
const LEASE_MS = 120_000
const MINUTE_MS = 60_000
const WAITS_MS = [0.5, 1, 2, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * MINUTE_MS)
const LONGEST_ERROR = 300

/** One round; true when more emails may be due. */
export async function sendMails(deps: SendMailsDeps): Promise<boolean> {
  const mails = await claimMails(deps.db, deps.clock.now(), LEASE_MS, MOST_AT_ONCE)
  await Promise.all(mails.map((mail) => sendMail(deps, mail)))
  return mails.length === MOST_AT_ONCE
}

async function sendMail(deps: SendMailsDeps, mail: Mail): Promise<void> {
  const { db, clock, sender, givenUp } = deps
  const email = await writeEmail(deps, MAILS, mail)
  try {
    if (email !== undefined) await sender.send(email)
  } catch (thrown) {
    const error = (thrown as Error).message.slice(0, LONGEST_ERROR)
    const waitMs = WAITS_MS[mail.attempts - 1]
    await postponeMail(db, mail.mailId, error, waitMs === undefined ? null : clock.now() + waitMs)
    if (waitMs === undefined) givenUp(mail, error)
    return
  }
  await endMail(db, mail.mailId, email === undefined ? null : clock.now())
}
