// The ways in which FedaPay fails in the field, or may: each can be switched on.
import type { FaultTable } from '../faults.ts'

export const FEDAPAY_FAULTS = {
  webhooks_never_come: 'No webhook is sent.',
  webhook_before_the_answer:
    'The webhook about a payment comes before the answer to its prompt: the payer approves at once.',
  webhooks_repeated: 'Each webhook is sent twenty times, a second apart.',
  webhooks_signed_long_ago: 'Webhooks carry a time ten minutes in the past, rightly signed.',
  webhooks_signed_wrongly: 'Webhooks are signed with another secret.',
  webhooks_without_merchant_reference: 'Webhooks do not have our reference.',
  pending_webhooks_repeated: 'A webhook that the transaction is still pending comes every 20 seconds until it is not.',
  create_cut: 'The connection breaks after the transaction was created.',
  create_silent: 'A creation is never answered; the transaction exists.',
  token_cut: 'The connection breaks when a token is asked for.',
  prompt_cut: 'The connection breaks after the payer was prompted.',
  prompt_cut_before: 'The connection breaks before the payer was prompted.',
  prompt_silent: 'A prompt is sent, and the call is never answered.',
  prompt_timeout_body: 'A prompt is sent, and the call is answered with 408 and a body about a time-out.',
  prompt_refused_when_repeated: 'A second prompt for a transaction is refused with 400.',
  mode_not_activated: 'Prompts are refused: the operator is not activated on the account.',
  refuses_with_400: 'Faulty fields are refused with 400 instead of 422.',
  not_found_for_a_while: 'A transaction is found by its reference only 40 seconds after its creation.',
  not_found: 'No transaction is found, by its id or by its reference.',
  no_route_by_reference: 'There is no route by our reference: it answers 404 with a message, whatever it is asked.',
  unavailable: 'Every call is answered with 503.',
  too_many_requests: 'Every call is answered with 429.',
  gateway_page: 'Every call is answered with 403 and a page of HTML by a gateway.',
  key_refused: 'The secret key is refused, as after it was replaced in the dashboard.',
  key_in_errors: 'Refusals repeat the key and the payer’s number in their message.',
  slow_tokens: 'A token takes nine and a half seconds to be answered.',
  slow_prompts: 'A prompt takes 20 seconds to be answered.',
  amount_as_text: 'Amounts are text with decimals.',
  other_amount: 'Transactions are told with 5 francs less.',
  other_currency: 'Transactions are told in another currency.',
  status_not_documented: 'A payment that was made has a status that no document names.',
  error_as_object: 'The code of the last error is an object.',
  expires_early: 'A transaction expires after ten minutes instead of a day.',
  paid_after_expiry: 'A transaction that has expired can still be paid.',
  clock_behind: 'The Date header is ten minutes behind.',
} as const satisfies FaultTable

export type FedapayFault = keyof typeof FEDAPAY_FAULTS
