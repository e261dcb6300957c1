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
  /** The account, when an unsigned page made the link. */
  pageAccount: string | null
}

export async function restBefore(
  tx: Queries,
  link: PaymentLink,
  { environment, promptedMsisdn: msisdn, pageAccount }: WantedPrompt,
  now: number,
): Promise<Rest | undefined> {
  const ofLink = linkRest(link, now)
  if (ofLink !== undefined) return ofLink
  if (msisdn !== null) {
    await lockPrompts(tx, `number ${environment} ${msisdn}`, now)
    const past = await findPromptsToNumber(tx, { environment, msisdn }, now - NUMBER_MEMORY_MS, NUMBER_MEMORY)
    const ofNumber = numberRest(past, now)
    if (ofNumber !== undefined) return ofNumber
  }
  if (pageAccount === null) return undefined
  await lockPrompts(tx, `pages of ${pageAccount}`, now)
  return accountRest(await findPromptsFromPages(tx, pageAccount, now - PAGES_MEMORY_MS, PAGES_MEMORY), now)
}
