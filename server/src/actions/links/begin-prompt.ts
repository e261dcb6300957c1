// A payer types a number: the operator of its prefix prompts them on their phone.
import { isCountry } from '../../domain/countries/country.ts'
import { isTestNumber, readMsisdn } from '../../domain/countries/msisdn.ts'
import { isRefused } from '../../domain/refusals/refusal.ts'
import { findOperatorPayment } from '../../store/payments/payments.ts'
import { type Begin, begin, browserProof } from './begin-attempt.ts'

export const beginPrompt: Begin = async (deps, payable, method, input) => {
  const { opened: link, reference, linkReference } = payable
  const { country } = input
  const subscriber = isCountry(country)
    ? readMsisdn(input.msisdn, country, link.environment)
    : undefined
  if (subscriber === undefined || !isCountry(country)) return { refused: 'msisdn_not_valid' }
  const route = deps.operatorFor(link.environment, country, subscriber.prefix, link.accountId)
  if (route === undefined) {
    const paused = deps.pausedFor(link.environment, country, subscriber.prefix, link.accountId)
    return { refused: 'payer_operator_closed', paused }
  }
  const now = deps.clock.now()
  const payer = { ...route, country, msisdn: subscriber.msisdn, msisdnWritten: input.msisdn.trim() }
  // Recorded as claimed when this process hands it over, else due at once for a worker.
  const dueAt = deps.dispatcher === undefined ? now : now + deps.leaseMs
  // A test number rings nowhere, and all who try the sandbox share it.
  const promptedMsisdn = isTestNumber(subscriber.msisdn) ? null : subscriber.msisdn
  const { browserHash, given } = browserProof(deps, input)
  const details = { method, ...payer, promptedMsisdn, browserHash, handedOverAt: null, dueAt }
  const begun = await begin(deps, payable, input, details)
  if (isRefused(begun)) return begun
  const payment = await findOperatorPayment(deps.db, link, reference)
  if (payment !== undefined) deps.dispatcher?.take(payment, now)
  return { linkReference, ...given }
}
