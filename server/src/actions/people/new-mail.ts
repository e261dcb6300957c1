// A letter that must leave, for the commit of what it is about.
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import { base32 } from '../../domain/reference.ts'
import type { Mail } from '../../store/people/mails.ts'

export const newMail = (
  { clock, random }: { clock: Clock; random: Random },
  { kind, email, about = '' }: Pick<Mail, 'kind' | 'email'> & { about?: string },
): Mail => ({
  mailId: `mail_${base32(random.bytes(10), 16)}`,
  email,
  kind,
  about,
  createdAt: clock.now(),
  attempts: 0,
})
