// Whether a page may begin an attempt now, by the limits of D-60. A step of paying a link, in its transaction: what it looks at is locked
// until the attempt is recorded, so the limits hold for any number of processes.
import type { Environment } from '../../domain/environment.ts'
import type { PaymentLink } from '../../domain/payment-link.ts'
import {
  accountRest,
  linkRest,
  NUMBER_MEMORY,
  NUMBER_MEMORY_MS,
  numberRest,
  PAGES_MEMORY,
  PAGES_MEMORY_MS,
  type Rest,
} from '../../domain/prompt-limit.ts'
import type { Queries } from '../../store/engine/database.ts'
import { findPromptsFromPages, findPromptsToNumber, lockPrompts } from '../../store/links/prompts.ts'

export interface WantedPrompt {
  environment: Environment
  /** Null when nobody's phone rings. */
  promptedMsisdn: string | null
  /** The account, when an unsigned page made the link, or the payer came from a poster. */
  pageAccount: string | null
}

export async function restBefore(
  tx: Queries,
  link: PaymentLink,
  { environment, promptedMsisdn: msisdn, pageAccount }: WantedPrompt,
  now: number,
): Promise<Rest | undefined> {
  const ofNumber = async (number: string) => {
    const to = { environment, msisdn: number }
    return numberRest(await findPromptsToNumber(tx, to, now - NUMBER_MEMORY_MS, NUMBER_MEMORY), now)
  }
  const ofPages = async (accountId: string) =>
    accountRest(await findPromptsFromPages(tx, accountId, now - PAGES_MEMORY_MS, PAGES_MEMORY), now)
  return (
    linkRest(link, now) ??
    (msisdn === null ? undefined : await lookTwice(`number ${environment} ${msisdn}`, () => ofNumber(msisdn))) ??
    (pageAccount === null ? undefined : await lookTwice(`pages of ${pageAccount}`, () => ofPages(pageAccount)))
  )

  /** Under attack most must wait: they are told so without queueing for the lock, and without a write. */
  async function lookTwice(name: string, look: () => Promise<Rest | undefined>): Promise<Rest | undefined> {
    const seen = await look()
    if (seen !== undefined) return seen
    await lockPrompts(tx, name, now)
    return look()
  }
}
