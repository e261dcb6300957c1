// The only way to refuse a request: a name from this closed list, with the facts that the caller
// needs. Each entry point (merchant API, checkout, CLI) has a sentence for each name, and does not
// compile without. Outages and bugs are not refusals: those are thrown. refusals/ has the names by
// noun.
import type { BooksRefusals } from './refusals/books-refusals.ts'
import type { ConnectionRefusals } from './refusals/connection-refusals.ts'
import type { ConsoleRefusals } from './refusals/console-refusals.ts'
import type { KeyRefusals } from './refusals/key-refusals.ts'
import type { LinkRefusals } from './refusals/link-refusals.ts'
import type { MerchantRefusals } from './refusals/merchant-refusals.ts'
import type { PaymentRefusals } from './refusals/payment-refusals.ts'
import type { PersonRefusals } from './refusals/person-refusals.ts'
import type { RefundRefusals } from './refusals/refund-refusals.ts'
import type { RequestRefusals } from './refusals/request-refusals.ts'
import type { StoreRefusals } from './refusals/store-refusals.ts'
import type { WebhookRefusals } from './refusals/webhook-refusals.ts'

export interface RefusalFacts
  extends RequestRefusals,
    PaymentRefusals,
    RefundRefusals,
    LinkRefusals,
    WebhookRefusals,
    ConnectionRefusals,
    BooksRefusals,
    MerchantRefusals,
    KeyRefusals,
    PersonRefusals,
    ConsoleRefusals,
    StoreRefusals {}

export type Refusal = keyof RefusalFacts

/** A refusal by one of these names: `RefusedAs<'payment_not_found'>`. */
export type RefusedAs<Name extends Refusal> = Name extends Refusal
  ? { refused: Name } & RefusalFacts[Name]
  : never

export type Refused = RefusedAs<Refusal>

export const isRefused = <Outcome extends object>(
  outcome: Outcome,
): outcome is Extract<Outcome, { refused: Refusal }> => 'refused' in outcome
