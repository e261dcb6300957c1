// A new email in the queue of emails: its words are written when it is sent.
import { base32 } from '../../domain/payments/reference.ts'
import type { Mail } from '../../store/people/mails.ts'
import type { Deps } from '../deps.ts'

export const newMail = (
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  { kind, email, about = '' }: Pick<Mail, 'kind' | 'email'> & { about?: string },
): Mail => ({
  mailId: `mail_${base32(random.bytes(10), 16)}`,
  email,
  kind,
  about,
  createdAt: clock.now(),
  attempts: 0,
})
