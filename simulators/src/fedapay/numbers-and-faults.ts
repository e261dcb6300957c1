// What payers do, by their number. FedaPay documents two that succeed in its sandbox; the rest is
// invented.
import { type FaultTable, lookUp } from '../network.ts'

export type Status =
  | 'pending'
  | 'approved'
  | 'declined'
  | 'canceled'
  | 'expired'
  | 'transferred'
  | 'refunded'
  | 'approved_partially_refunded'
  | 'transferred_partially_refunded'

export interface Behaviour {
  /** What happens, one after the other; nothing when the payer never answers. */
  moves: readonly { to: Status; errorCode?: string; afterMs?: number }[]
  about: string
}

const DOCUMENTED: Readonly<Record<string, Behaviour>> = {
  '64000001': { moves: [{ to: 'approved' }], about: 'The payer approves.' },
  '66000001': { moves: [{ to: 'approved' }], about: 'The payer approves.' },
}

const INVENTED: Readonly<Record<string, Behaviour>> = {
  '66000002': { moves: [{ to: 'declined' }], about: 'The payer declines.' },
  '66000003': {
    moves: [{ to: 'canceled', errorCode: 'INSUFFICIENT_FUND_ERROR' }],
    about: 'The payer’s account does not hold the amount.',
  },
  '66000004': { moves: [], about: 'The payer never answers: expired after 24 hours.' },
  '66000005': {
    moves: [{ to: 'declined' }, { to: 'approved', afterMs: 600_000 }],
    about: 'The payer declines, and pays ten minutes later.',
  },
  '66000006': {
    moves: [{ to: 'pending', errorCode: 'API_ERROR' }],
    about: 'The payer cancels, and the operator does not say so: pending with an error.',
  },
  '66000007': {
    moves: [{ to: 'approved' }, { to: 'refunded' }],
    about: 'Approved, and refunded in the dashboard.',
  },
  '66000008': {
    moves: [{ to: 'approved' }, { to: 'approved_partially_refunded' }],
    about: 'Approved, and a part refunded in the dashboard.',
  },
  '66000009': { moves: [{ to: 'canceled' }], about: 'Cancelled by the operator.' },
}

const APPROVES: Behaviour = { moves: [{ to: 'approved' }], about: 'The payer approves.' }
const FAILS: Behaviour = {
  moves: [{ to: 'declined' }],
  about: 'Any other number fails in the sandbox.',
}

export const NUMBERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries({ ...DOCUMENTED, ...INVENTED }).map(([number, { about }]) => [number, about]),
  ),
  'any other':
    'Approves by mtn_open, moov, sbin and the like; fails by momo_test, as in FedaPay’s sandbox.',
}

/** Country codes and Benin's 01 do not matter: a number is known by its last eight digits. */
export function behaviourOf(number: string, mode: string): Behaviour {
  const known: Readonly<Record<string, Behaviour>> = { ...DOCUMENTED, ...INVENTED }
  return lookUp(known, number.slice(-8)) ?? (mode === 'momo_test' ? FAILS : APPROVES)
}

// The ways in which FedaPay fails in the field, or may: each can be switched on.

export const FEDAPAY_FAULTS = {
  webhooks_never_come: 'No webhook is sent.',
  webhook_before_the_answer:
    'The webhook about a payment comes before the answer to its prompt: the payer approves at once.',
  webhooks_repeated: 'Each webhook is sent twenty times, a second apart.',
  webhooks_signed_long_ago: 'Webhooks carry a time ten minutes in the past, rightly signed.',
  webhooks_signed_wrongly: 'Webhooks are signed with another secret.',
  webhooks_without_merchant_reference: 'Webhooks do not have our reference.',
  pending_webhooks_repeated:
    'A webhook that the transaction is still pending comes every 20 seconds until it is not.',
  create_cut: 'The connection breaks after the transaction was created.',
  create_silent: 'A creation is never answered; the transaction exists.',
  token_cut: 'The connection breaks when a token is asked for.',
  prompt_cut: 'The connection breaks after the payer was prompted.',
  prompt_cut_before: 'The connection breaks before the payer was prompted.',
  prompt_silent: 'A prompt is sent, and the call is never answered.',
  prompt_timeout_body:
    'A prompt is sent, and the call is answered with 408 and a body about a time-out.',
  prompt_refused_when_repeated: 'A second prompt for a transaction is refused with 400.',
  mode_not_activated: 'Prompts are refused: the operator is not activated on the account.',
  refuses_with_400: 'Faulty fields are refused with 400 instead of 422.',
  not_found_for_a_while:
    'A transaction is found by its reference only 40 seconds after its creation.',
  not_found: 'No transaction is found, by its id or by its reference.',
  no_route_by_reference:
    'There is no route by our reference: it always answers 404 with a message.',
  unavailable: 'Every call is answered with 503.',
  too_many_requests: 'Every call is answered with 429.',
  gateway_page: 'Every call is answered with 403 and a page of HTML by a gateway.',
  key_refused: 'The secret key is refused, as after it was replaced in the dashboard.',
  key_in_errors: 'Refusals repeat the key and the payer’s number in their message.',
  slow_tokens: 'A token takes nine and a half seconds to be answered.',
  slow_prompts: 'A prompt takes 20 seconds to be answered.',
  amount_as_text: 'Amounts are text with decimals.',
  other_amount: 'Transactions that were prompted are shown with 5 francs less.',
  other_currency: 'Transactions are shown in another currency.',
  status_not_documented: 'A payment that was made has a status that no document names.',
  error_as_object: 'The code of the last error is an object.',
  expires_early: 'A transaction expires after ten minutes instead of a day.',
  paid_after_expiry: 'A transaction that has expired can still be paid.',
  clock_behind: 'The Date header is ten minutes behind.',
} as const satisfies FaultTable

export type FedapayFault = keyof typeof FEDAPAY_FAULTS
