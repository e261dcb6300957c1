// What `karba operators check` checks of a connection to FedaPay: key, currency, clock, both routes
// by which a transaction is looked up, and the webhook, which FedaPay switches off after ten
// errors.
import type { CredentialTest } from '../../../domain/merchants/merchant-connection.ts'
import {
  ANY_REFERENCE,
  type CheckLine,
  type ConnectionDeps,
  clockLines,
  credentialTest,
  notKnown,
  plainCallbackUrl,
  right,
  wrong,
} from '../../connector.ts'
import type { CallResult } from '../../http-call.ts'
import { type FedapayOptions, isOk, pathByReference, pathOf, transactionsOf } from './calls.ts'
import { isNoSuchThing, isNotKnown, notAnswered, readList, readTransaction } from './translate.ts'

export async function checkConnection(
  deps: ConnectionDeps,
  options: FedapayOptions,
): Promise<CheckLine[]> {
  const get = (path: string): Promise<CallResult> => transactionsOf(deps, options).call('GET', path)
  const balances = await get('/v1/balances')
  const lines = [keyKind(options.secretKey, deps.environment), keyLine(balances)]
  const url = plainCallbackUrl(deps)
  if (!isOk(balances)) return [...lines, addressLine(url)]
  const [currencies, webhooks] = await Promise.all([get('/v1/currencies'), get('/v1/webhooks')])
  return [
    ...lines,
    ...clockLines(balances, deps.clock.now()),
    currencyLine(currencies, options.xofCurrencyId),
    ...(await lookUpLines(get)),
    addressLine(url),
    ...webhookLines(webhooks, url, options),
  ]
}

/** The balances of the account. */
export async function testCredentials(
  deps: ConnectionDeps,
  options: FedapayOptions,
): Promise<CredentialTest> {
  const balances = await transactionsOf(deps, options).call('GET', '/v1/balances')
  return credentialTest(isOk(balances) ? undefined : notAnswered(balances, 'reading the balances'))
}

function keyKind(secretKey: string, environment: ConnectionDeps['environment']): CheckLine {
  const kind = /^(sk|pk)_(live|sandbox)_/.exec(secretKey)
  const about = 'the kind of the key'
  if (kind === null) return notKnown(about, `FedaPay’s keys begin with sk_${environment}_`)
  if (kind[1] === 'sk' && kind[2] === environment) return right(about)
  return wrong(about, `use the secret key of this environment: it begins with sk_${environment}_`)
}

function keyLine(balances: CallResult): CheckLine {
  const about = 'FedaPay accepts the secret key'
  if (isOk(balances)) return right(about)
  const { why, misconfigured } = notAnswered(balances, 'reading the balances')
  if (!misconfigured) return notKnown(about, `FedaPay could not be asked (${why}); try again`)
  return wrong(about, `copy the secret key from the dashboard again (${why})`)
}

const listIn = (result: CallResult, name: string) =>
  isOk(result) ? readList(result.body, name) : undefined

function currencyLine(currencies: CallResult, xofCurrencyId: number): CheckLine {
  const about = 'the currency XOF'
  const list = listIn(currencies, 'currencies')
  const xof = list?.find(({ iso }) => iso === 'XOF')
  if (list === undefined) return notKnown(about, 'FedaPay did not list its currencies; try again')
  if (xof === undefined) return wrong(about, 'ask FedaPay to open the account for XOF')
  return xof.id === xofCurrencyId
    ? right(about)
    : wrong(about, `set xofCurrencyId to ${Number(xof.id)}`)
}

/**
 * Looks a transaction of the account up by both routes: no document of FedaPay's has the second
 * one.
 */
async function lookUpLines(get: (path: string) => Promise<CallResult>): Promise<CheckLine[]> {
  const list = listIn(await get('/v1/transactions/search?per_page=25'), 'transactions')
  const known = list?.flatMap((each) => {
    const { merchant_reference: reference, id } = readTransaction(each) ?? {}
    return typeof reference === 'string' && id !== undefined ? [{ reference, id }] : []
  })[0]
  const byId = 'transactions are found by FedaPay’s id'
  const byReference = 'transactions are found by our reference'
  const missing =
    'FedaPay has no route GET /v1/transactions/merchant/{reference} for this account: ask FedaPay to open it. ' +
    'Payments are followed by FedaPay’s id all the same; one whose creation is cut off fails after 30 minutes, and its payer is not asked'
  // Without a known one, the answer still shows whether the route exists.
  const shown = await get(pathByReference(known?.reference ?? ANY_REFERENCE))
  if (known === undefined) {
    const none =
      list === undefined
        ? 'FedaPay did not list its transactions; try again'
        : 'the account has no transaction with a merchant reference yet: check again after the first payment'
    const isMissing = isNoSuchThing(shown) && !isNotKnown(shown)
    return [
      notKnown(byId, none),
      isMissing ? wrong(byReference, missing) : notKnown(byReference, none),
    ]
  }
  const lost =
    'FedaPay lists a transaction that GET /v1/transactions/{id} does not show: ask FedaPay why'
  return [
    lookUpLine(byId, await get(pathOf(known.id)), known.id, lost),
    lookUpLine(byReference, shown, known.id, missing),
  ]
}

function lookUpLine(about: string, result: CallResult, id: number, remedy: string): CheckLine {
  if (isOk(result) && readTransaction(result.body)?.id === id) return right(about)
  if (isNoSuchThing(result)) return wrong(about, remedy)
  const { why } = notAnswered(result, 'reading a transaction')
  return notKnown(about, `FedaPay could not be asked (${why}); try again`)
}

function addressLine(url: string | undefined): CheckLine {
  const about = 'the address for webhooks'
  if (url?.startsWith('https://')) return right(about)
  return wrong(
    about,
    'give the service a public https address: without one payments are only polled',
  )
}

function webhookLines(
  webhooks: CallResult,
  url: string | undefined,
  { webhookSecret }: FedapayOptions,
): CheckLine[] {
  if (url === undefined) return []
  const about = 'the webhook in the dashboard'
  const list = listIn(webhooks, 'webhooks')
  if (list === undefined)
    return [notKnown(about, 'FedaPay did not list its webhooks: look at them in the dashboard')]
  const ours = list.find(
    (each) => typeof each.url === 'string' && each.url.replace(/\/$/, '') === url,
  )
  if (ours === undefined)
    return [wrong(about, `create one for ${url} and the events of transactions`)]
  if (ours.enabled === false) {
    return [
      wrong(about, 'FedaPay has switched it off after errors: switch it on again in the dashboard'),
    ]
  }
  if (webhookSecret !== undefined) return [right(about)]
  return [wrong(about, 'set webhookSecret to its secret (dashboard, Webhooks): wh_…')]
}
