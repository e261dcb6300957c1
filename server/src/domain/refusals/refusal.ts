// The only way to refuse a request: a name from this closed list, with the facts that the caller
// needs. Each entry point (merchant API, checkout, CLI) has a sentence for each name, and does not
// compile without. Outages and bugs are not refusals: those are thrown. The names stand in the
// folder of their noun.
import type { BooksRefusals } from '../books/books-refusals.ts'
import type { LinkRefusals } from '../links/link-refusals.ts'
import type { MerchantRefusals } from '../merchants/merchant-refusals.ts'
import type { ConnectionRefusals } from '../operators/connection-refusals.ts'
import type { PaymentRefusals } from '../payments/payment-refusals.ts'
import type { KeyRefusals } from '../people/key-refusals.ts'
import type { PersonRefusals } from '../people/person-refusals.ts'
import type { RefundRefusals } from '../refunds/refund-refusals.ts'
import type { RefusedOf } from '../refused.ts'
import type { WebhookRefusals } from '../webhooks/webhook-refusals.ts'
import type { ConsoleRefusals } from './console-refusals.ts'
import type { RequestRefusals } from './request-refusals.ts'
import type { StoreRefusals } from './store-refusals.ts'

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
export type RefusedAs<Name extends Refusal> = RefusedOf<RefusalFacts, Name>

export type Refused = RefusedAs<Refusal>

export const isRefused = <Outcome extends object>(
  outcome: Outcome,
): outcome is Extract<Outcome, { refused: Refusal }> => 'refused' in outcome
