// What `karba operators check` finds out about a connection to FedaPay: key, currency, clock, both routes by which a transaction is looked up, and
// the webhook, which FedaPay switches off by itself after ten errors.
import type { CheckLine, ConnectionDeps } from '../../connector.ts'
import type { CallResult } from '../../http-call.ts'
import type { FedapayOptions } from './options.ts'
import { isOk, pathByReference, pathOf, transactionsOf } from './transactions.ts'
import { isNoSuchThing, isNotKnown, notAnswered } from './translate.ts'
import { readTransaction, unwrapList } from './wire.ts'

const LARGEST_SKEW_MS = 60_000
/** Stands for any reference, to learn the address that all callbacks come to. */
const ANY_REFERENCE = '0'.repeat(24)

export async function checkConnection(deps: ConnectionDeps, options: FedapayOptions): Promise<CheckLine[]> {
  const { clock, environment } = deps
  const balances = await transactionsOf(deps, options).call('GET', '/v1/balances')
  const lines = [keyKind(options.secretKey, environment), keyLine(balances)]
  if (!isOk(balances)) return [...lines, addressLine(deps)]
  lines.push(clockLine(balances, clock.now()))
  const [currencies, webhooks] = await Promise.all([
    transactionsOf(deps, options).call('GET', '/v1/currencies'),
    transactionsOf(deps, options).call('GET', '/v1/webhooks'),
  ])
  return [
    ...lines,
    currencyLine(currencies, options.xofCurrencyId),
    ...(await lookUpLines(deps, options)),
    addressLine(deps),
    ...webhookLines(webhooks, deps, options),
  ]
}

function keyKind(secretKey: string, environment: ConnectionDeps['environment']): CheckLine {
  const kind = /^(sk|pk)_(live|sandbox)_/.exec(secretKey)
  const about = 'the kind of the key'
  if (kind === null) return { is: 'not_known', about, mend: `FedaPay’s keys begin with sk_${environment}_` }
  if (kind[1] === 'sk' && kind[2] === environment) return { is: 'right', about }
  return { is: 'wrong', about, mend: `use the secret key of this environment: it begins with sk_${environment}_` }
}

function keyLine(balances: CallResult): CheckLine {
  const about = 'FedaPay accepts the secret key'
  if (isOk(balances)) return { is: 'right', about }
  const { why, misconfigured } = notAnswered(balances, 'reading the balances')
  if (!misconfigured) return { is: 'not_known', about, mend: `FedaPay could not be asked (${why}); try again` }
  return { is: 'wrong', about, mend: `copy the secret key from the dashboard again (${why})` }
}

function clockLine(result: CallResult, now: number): CheckLine {
  const about = 'this machine’s clock'
  const date = 'code' in result ? Date.parse(String(result.headers.date)) : Number.NaN
  if (Number.isNaN(date)) return { is: 'not_known', about, mend: 'FedaPay’s answer had no date to compare with' }
  const seconds = Math.round((now - date) / 1_000)
  if (Math.abs(seconds) * 1_000 <= LARGEST_SKEW_MS) return { is: 'right', about }
  return {
    is: 'wrong',
    about,
    mend: `it differs from FedaPay’s by ${seconds} s: webhooks may look too old; set it by NTP`,
  }
}

function currencyLine(currencies: CallResult, xofCurrencyId: number): CheckLine {
  const about = 'the currency XOF'
  const list = isOk(currencies) ? unwrapList(currencies.body, 'currencies') : undefined
  const xof = list?.find(({ iso }) => iso === 'XOF')
  if (list === undefined) return { is: 'not_known', about, mend: 'FedaPay did not list its currencies; try again' }
  if (xof === undefined) return { is: 'wrong', about, mend: 'ask FedaPay to open the account for XOF' }
  if (xof.id === xofCurrencyId) return { is: 'right', about }
  return { is: 'wrong', about, mend: `set xofCurrencyId to ${Number(xof.id)}` }
}

/** Looks a transaction of the account up by both routes: no document of FedaPay's has the second one. */
async function lookUpLines(deps: ConnectionDeps, options: FedapayOptions): Promise<CheckLine[]> {
  const ask = (path: string): Promise<CallResult> => transactionsOf(deps, options).call('GET', path)
  const listed = await ask('/v1/transactions/search?per_page=25')
  const list = isOk(listed) ? unwrapList(listed.body, 'transactions') : undefined
  const known = list?.flatMap((each) => {
    const { merchant_reference: reference, id } = readTransaction(each) ?? {}
    return typeof reference === 'string' && id !== undefined ? [{ reference, id }] : []
  })[0]
  const none =
    list === undefined
      ? 'FedaPay did not list its transactions; try again'
      : 'the account has no transaction with a merchant reference yet: check again after the first payment'
  const byId = 'transactions are found by FedaPay’s id'
  const byReference = 'transactions are found by our reference'
  const missing =
    'FedaPay has no route GET /v1/transactions/merchant/{reference} for this account: ask FedaPay to open it. ' +
    'Payments are followed by FedaPay’s id all the same; one whose creation is cut off fails after 30 minutes, and its payer is not asked'
  const shown = await ask(pathByReference(known?.reference ?? ANY_REFERENCE))
  if (known === undefined) {
    const isMissing = isNoSuchThing(shown) && !isNotKnown(shown)
    return [
      { is: 'not_known', about: byId, mend: none },
      isMissing
        ? { is: 'wrong', about: byReference, mend: missing }
        : { is: 'not_known', about: byReference, mend: none },
    ]
  }
  const lost = 'FedaPay lists a transaction that GET /v1/transactions/{id} does not show: ask FedaPay why'
  return [
    lookUpLine(byId, await ask(pathOf(known.id)), known.id, lost),
    lookUpLine(byReference, shown, known.id, missing),
  ]
}

function lookUpLine(about: string, result: CallResult, id: number, mend: string): CheckLine {
  if (isOk(result) && readTransaction(result.body)?.id === id) return { is: 'right', about }
  if (isNoSuchThing(result)) return { is: 'wrong', about, mend }
  const { why } = notAnswered(result, 'reading a transaction')
  return { is: 'not_known', about, mend: `FedaPay could not be asked (${why}); try again` }
}

function addressLine({ callbackUrl }: ConnectionDeps): CheckLine {
  const about = 'the address for webhooks'
  const url = callbackUrl(ANY_REFERENCE)
  if (url?.startsWith('https://')) return { is: 'right', about }
  const mend = 'give the service a public https address: without one payments are only polled'
  return { is: 'wrong', about, mend }
}

function webhookLines(
  webhooks: CallResult,
  { callbackUrl }: ConnectionDeps,
  { webhookSecret }: FedapayOptions,
): CheckLine[] {
  const url = callbackUrl(ANY_REFERENCE)?.replace(/\/?0{24}$/, '')
  if (url === undefined) return []
  const about = 'the webhook in the dashboard'
  const list = isOk(webhooks) ? unwrapList(webhooks.body, 'webhooks') : undefined
  if (list === undefined)
    return [{ is: 'not_known', about, mend: 'FedaPay did not list its webhooks: look at them in the dashboard' }]
  const ours = list.find((each) => typeof each.url === 'string' && each.url.replace(/\/$/, '') === url)
  if (ours === undefined) return [{ is: 'wrong', about, mend: `create one for ${url} and the events of transactions` }]
  if (ours.enabled === false) {
    return [
      { is: 'wrong', about, mend: 'FedaPay has switched it off after errors: switch it on again in the dashboard' },
    ]
  }
  if (webhookSecret !== undefined) return [{ is: 'right', about }]
  return [{ is: 'wrong', about, mend: 'set webhookSecret to its secret (dashboard, Webhooks): wh_…' }]
}
