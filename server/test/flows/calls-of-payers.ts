// Every action of a payer, each with a call that names a link.
import { abandonAttempt, payPaymentLink, returnFromProvider } from '../../src/actions/links/pay-payment-link.ts'
import { openLink, readPaymentLink } from '../../src/actions/links/read-payment-link.ts'
import type { Payer } from '../../src/domain/caller.ts'
import type { Refusal } from '../../src/domain/refusal.ts'
import { browserTokenOf, SUCCEEDS } from '../links/payer.ts'
import type { depsOf } from './owned-things.ts'

type Deps = ReturnType<typeof depsOf>

const BY_PHONE = { method: 'mobile', attempts: 0, country: 'NE', msisdn: SUCCEEDS, amount: '', page: '' }

/** A payer names no link but the one they hold. */
export const BY_PAYERS: [
  action: string,
  denial: Refusal,
  call: (deps: Deps, payer: Payer, link: string) => Promise<object>,
][] = [
  ['openLink', 'link_not_found', (d, payer) => openLink(d, payer)],
  ['readPaymentLink', 'payment_not_found', (d, payer) => readPaymentLink(d, payer)],
  ['returnFromProvider', 'link_not_found', (d, payer) => returnFromProvider(d, payer)],
  [
    'abandonAttempt',
    'link_not_found',
    (d, payer, link) => abandonAttempt(d, payer, { browserTokens: [browserTokenOf(link) ?? ''] }),
  ],
  ['payPaymentLink', 'link_not_found', (d, payer) => payPaymentLink(d, payer, BY_PHONE)],
]
