// Every code of Airtel's documents and what it means for us: the source of the translation and of the table in facts.md. The first row that matches
// decides, so the more telling codes of an answer stand before the general ones.
import type { FailureReason } from '../../../domain/outcome.ts'

/**
 * What a code means in an answer that is not a success:
 * a failure reason: refused, and nothing was created;
 * `enquire`: the network has the id already, or cannot say: only an enquiry tells;
 * `in_doubt`: it may have been created, and the service asks later;
 * `not_found`: the network has no such payment;
 * `misconfigured`: our request is not as this application must send it.
 */
type Meaning = FailureReason | 'enquire' | 'in_doubt' | 'not_found' | 'misconfigured'

export interface CodeRow {
  code: string
  /** Where one code has several meanings, the words that tell which. */
  message?: RegExp
  means: Meaning
  /** Why a payment failed whose enquiry says TF with this code; by default what it means as a refusal, else operator_error. */
  failed?: FailureReason
  /** What to change, where a refusal with this code is about our configuration. */
  mend?: string
  about: string
}

const MEND = {
  country: 'set the option country to the country of the application in the Airtel portal',
  currency: 'set the option currency to the currency of the application in the Airtel portal',
  account: 'the application is not set up for this country: ask Airtel to enable collections for it',
} as const

export const CODES: readonly CodeRow[] = [
  { code: 'ESB000041', means: 'enquire', about: 'External transaction id already exists' },
  { code: 'DP00900001011', means: 'enquire', about: 'Similar transaction exists' },
  { code: 'DP00900001017', means: 'enquire', about: 'Duplicate transaction id' },
  { code: 'ESB000045', means: 'not_found', about: 'No transaction found with the id' },
  { code: '521002', means: 'payer_not_found', about: 'Wrong length of the number' },
  { code: 'ESB000033', means: 'payer_not_found', about: 'Wrong length of the number' },
  { code: 'ESB000036', means: 'payer_not_found', about: 'Wrong form of the number' },

  { code: 'DP00800001000', means: 'enquire', about: 'Ambiguous' },
  { code: 'DP00800001002', means: 'declined', about: 'Incorrect PIN' },
  // One list of codes has it as "in progress": it ends no payment before an enquiry says TF.
  { code: 'DP00800001003', means: 'in_doubt', failed: 'limit_reached', about: 'Limit of the wallet exceeded' },
  { code: 'DP00800001004', means: 'amount_not_allowed', about: 'Amount below the minimum' },
  { code: 'DP00800001005', message: /msisdn not found/i, means: 'payer_not_found', about: 'Number not found' },
  { code: 'DP00800001005', means: 'expired', about: 'The payer did not enter the PIN' },
  { code: 'DP00800001006', means: 'in_doubt', about: 'In process' },
  { code: 'DP00800001007', means: 'insufficient_funds', about: 'Not enough balance' },
  { code: 'DP00800001008', means: 'declined', about: 'Refused' },
  { code: 'DP00800001009', means: 'operator_error', about: 'Do not honor: a refusal without a cause' },
  { code: 'DP00800001010', means: 'payer_not_allowed', about: 'Not permitted: barred, churned or not registered' },
  { code: 'DP00800001024', means: 'in_doubt', failed: 'expired', about: 'Timed out' },
  { code: 'DP00800001025', means: 'not_found', about: 'Transaction not found' },
  { code: 'DP00800001026', means: 'misconfigured', about: 'Signature and body do not match' },
  { code: 'DP00800001029', means: 'expired', about: 'Expired' },

  { code: 'DP00900001000', means: 'enquire', about: 'Ambiguous' },
  { code: 'DP00900001003', means: 'limit_reached', about: 'Limit of the day reached' },
  { code: 'DP00900001004', means: 'amount_not_allowed', about: 'Invalid amount' },
  { code: 'DP00900001005', means: 'operator_error', about: 'Failed' },
  { code: 'DP00900001006', means: 'in_doubt', about: 'Processing' },
  { code: 'DP00900001007', means: 'insufficient_funds', about: 'Insufficient funds' },
  { code: 'DP00900001009', means: 'payer_not_allowed', about: 'Invalid initiatee' },
  { code: 'DP00900001010', means: 'payer_not_allowed', about: 'User not allowed' },
  { code: 'DP00900001012', means: 'payer_not_found', about: 'Invalid mobile number' },
  {
    code: 'DP00900001013',
    message: /country|currency|missing/i,
    means: 'misconfigured',
    about: 'Header or field missing',
  },
  { code: 'DP00900001013', means: 'operator_error', about: 'Refused' },
  { code: 'DP00900001014', means: 'in_doubt', failed: 'expired', about: 'Timed out' },
  { code: 'DP00900001015', means: 'not_found', about: 'Transaction not found' },
  { code: 'DP00900001016', means: 'misconfigured', about: 'Signature and body do not match' },

  { code: 'ESB000001', means: 'in_doubt', about: 'Something went wrong' },
  { code: 'ESB000004', means: 'in_doubt', about: 'Error while initiating the payment' },
  { code: 'ESB000008', means: 'misconfigured', about: 'Field or header missing or not valid' },
  { code: 'ESB000011', means: 'operator_error', about: 'Failed' },
  { code: 'ESB000014', means: 'in_doubt', about: 'Error while fetching the status' },
  { code: 'ESB000034', means: 'operator_error', mend: MEND.country, about: 'Invalid country' },
  { code: 'ESB000035', means: 'operator_error', mend: MEND.currency, about: 'Invalid currency' },
  { code: 'ESB000039', means: 'operator_error', mend: MEND.account, about: 'Vendor not configured for the country' },
  { code: '0000900', means: 'in_doubt', about: 'Ambiguous' },

  { code: 'ROUTER001', means: 'operator_error', mend: MEND.account, about: 'Wallet not configured' },
  { code: 'ROUTER003', means: 'misconfigured', about: 'Header or body parameters missing' },
  { code: 'ROUTER005', means: 'operator_error', mend: MEND.account, about: 'Country route not configured' },
  { code: 'ROUTER006', means: 'operator_error', mend: MEND.country, about: 'Invalid country' },
  { code: 'ROUTER007', means: 'operator_error', mend: MEND.account, about: 'Not authorized for the country' },
  { code: 'ROUTER110', means: 'misconfigured', about: 'Partner not found: no X-Country' },
  { code: 'ROUTER112', means: 'operator_error', mend: MEND.currency, about: 'Invalid currency' },
  { code: 'ROUTER117', means: 'in_doubt', about: 'Request timeout' },
  { code: 'ROUTER119', means: 'misconfigured', about: 'Currency missing or not valid' },
  { code: 'CONNECTION_TIMEOUT', means: 'in_doubt', about: 'The gateway had no answer in time' },
]
