// The addresses of the simulated FedaPay under /v1, as its documents and its own clients write
// them, and what it refuses.
import { findCountry } from '../countries.ts'
import {
  type FaultBoard,
  isObject,
  type NetworkDeps,
  type WireReaction,
  type WireRequest,
} from '../network.ts'
import type { WalletStatements } from '../statements.ts'
import {
  COMMISSION,
  CURRENCIES,
  costsOf,
  type Distortions,
  type FeesPaidBy,
  type FieldErrors,
  NO_CONTENT,
  NO_SUCH_PATH,
  notFound,
  ok,
  refused,
  refuseFields,
  wireBalance,
  wireCustomer,
  wireIntent,
  wireList,
  wireTransaction,
} from './answers.ts'
import {
  type Customer,
  createTransaction,
  type customerBook,
  debitsOf,
  findById,
  findByReference,
  findByToken,
  isOpen,
  type Ledger,
  liveTransactions,
  promptPayer,
  statusAt,
  type Transaction,
  tokenOf,
} from './ledger.ts'

import type { FedapayFault } from './numbers-and-faults.ts'
import { listedPayouts, listedTransactions, newestFirst } from './statement.ts'
import { type Endpoint, newEndpoint, wireEndpoint } from './webhooks.ts'

/** The simulated FedaPay of one merchant: its books, its settings and the faults that are on. */
export interface World extends Pick<NetworkDeps, 'clock'> {
  ledger: Ledger
  customers: ReturnType<typeof customerBook>
  endpoints: Map<number, Endpoint>
  faults: FaultBoard
  modes: readonly string[]
  feesPaidBy: FeesPaidBy
  statements: WalletStatements<Transaction>
  webhookSecret: string
}

/**
 * A request whose key was accepted, with the address of the page under the host that it came to.
 */
export interface AcceptedRequest extends WireRequest {
  json: Record<string, unknown>
  pageUrl(token: string): string
}

/** All that FedaPay's documents name; which of them an account has is another matter. */
const MODES = [
  'mtn_open',
  'mtn',
  'moov',
  'sbin',
  'airtel_ne',
  'moov_tg',
  'togocel',
  'mtn_ci',
  'free_sn',
  'momo_test',
]

export function route(world: World, request: AcceptedRequest): WireReaction {
  const { method, path } = request
  const [version, resource = '', ...rest] = path.split('/').slice(1).map(decodeURIComponent)
  if (version !== 'v1' || path.endsWith('/')) return NO_SUCH_PATH
  const asked = `${method} ${rest.length}`
  if (resource === 'transactions') return transactionRoute(world, request, rest)
  if (method === 'POST' && rest.length === 0 && MODES.includes(resource))
    return prompt(world, request, resource)
  switch (resource) {
    case 'customers':
      return customerRoute(world, request, asked, rest[0])
    case 'currencies':
      return listRoute(request, asked, rest[0], {
        name: 'currencies',
        one: 'currency',
        all: CURRENCIES,
      })
    case 'balances': {
      const all = [wireBalance(world.statements.balanceXof())]
      return listRoute(request, asked, rest[0], { name: 'balances', one: 'balance', all })
    }
    case 'payouts':
      if (method !== 'GET' || !['', 'search'].includes(rest.join('/'))) return NO_SUCH_PATH
      return ok(wireList('payouts', listedPayouts(world.statements.lines()), request.query))
    case 'webhooks':
      return webhookRoute(world, request, asked, rest[0])
    default:
      return NO_SUCH_PATH
  }
}

const FOUND_AFTER_MS = 40_000
const SLOW_PROMPT_MS = 20_000
const SLOW_TOKEN_MS = 9_500

export const isOn = ({ faults }: World, fault: FedapayFault): boolean => faults.isOn(fault)

const refuse = (
  { faults }: World,
  request: WireRequest,
  message: string,
  errors: FieldErrors,
): WireReaction => refuseFields(faults, request, message, errors)

function transactionRoute(
  world: World,
  request: AcceptedRequest,
  [first, second]: string[],
): WireReaction {
  const { method, query } = request
  const part = first === undefined ? '' : (second ?? 'one')
  const asked = `${method} ${part}`
  if (method === 'GET' && first === 'merchant' && second !== undefined)
    return found(world, request, visibleByReference(world, second))
  if (method === 'GET' && (first === undefined || first === 'search'))
    return ok(wireList('transactions', search(world, request), query))
  if (method === 'GET' && first === 'fees') return fees(world, query)
  if (asked === 'POST ') return create(world, request)
  const transaction =
    first === undefined || (asked === 'GET one' && isOn(world, 'not_found'))
      ? undefined
      : findById(world.ledger, first)
  if (transaction === undefined) return first === undefined ? NO_SUCH_PATH : notFound('Transaction')
  switch (asked) {
    case 'GET one':
      return found(world, request, transaction)
    case 'PUT one':
      return update(world, request, transaction)
    case 'DELETE one':
      return remove(world, transaction)
    case 'POST token':
      return token(world, request, transaction)
    default:
      return NO_SUCH_PATH
  }
}

/**
 * Statements are read from here, too: paid transactions come with the faults that are planted in
 * their lines.
 */
function search(world: World, request: AcceptedRequest): Record<string, unknown>[] {
  const { clock, ledger, statements } = world
  const wire = (transaction: Transaction): Record<string, unknown> =>
    onWire(world, request, transaction)
  const unpaid = liveTransactions(ledger).filter((each) => debitsOf(each, clock.now()) === 0)
  return newestFirst([...listedTransactions(statements.lines(), wire), ...unpaid.map(wire)])
}

function visibleByReference(world: World, reference: string): Transaction | undefined {
  const transaction = findByReference(world.ledger, reference)
  const isHidden =
    isOn(world, 'not_found') ||
    isOn(world, 'no_route_by_reference') ||
    (isOn(world, 'not_found_for_a_while') &&
      world.clock.now() - (transaction?.createdAt ?? 0) < FOUND_AFTER_MS)
  return isHidden ? undefined : transaction
}

const found = (
  world: World,
  request: AcceptedRequest,
  transaction: Transaction | undefined,
): WireReaction =>
  transaction === undefined
    ? notFound('Transaction')
    : ok({ 'v1/transaction': onWire(world, request, transaction) })

const onWire = (
  world: World,
  { query, pageUrl }: AcceptedRequest,
  transaction: Transaction,
): Record<string, unknown> =>
  wireTransaction(transaction, world.clock.now(), {
    pageUrl,
    include: query.get('include')?.split(',') ?? [],
    distorted: distortions(world),
    feesPaidBy: world.feesPaidBy,
  })

export const distortions = (world: World): Distortions => ({
  amountAsText: isOn(world, 'amount_as_text'),
  otherAmount: isOn(world, 'other_amount'),
  otherCurrency: isOn(world, 'other_currency'),
  statusNotDocumented: isOn(world, 'status_not_documented'),
  errorAsObject: isOn(world, 'error_as_object'),
})

function create(world: World, request: AcceptedRequest): WireReaction {
  const { ledger, faults } = world
  const { json } = request
  const { amount, description, callback_url: callbackUrl, merchant_reference: reference } = json
  const { custom_metadata: metadata } = json
  const isTaken = (wanted: string): boolean => findByReference(ledger, wanted) !== undefined
  const errors = faultsOfTransaction(json, isTaken)
  if (Object.keys(errors).length > 0) {
    const first = typeof reference === 'string' ? findByReference(ledger, reference) : undefined
    if (first !== undefined) first.requests++
    return refuse(world, request, 'La création de la transaction a échoué', errors)
  }
  const customer = customerOf(world, json.customer)
  if (customer === undefined)
    return refuse(world, request, 'La création de la transaction a échoué', {
      customer: ['introuvable'],
    })
  const transaction = createTransaction(ledger, {
    amount: amount as number,
    description: description as string,
    callbackUrl: (callbackUrl as string | undefined) ?? null,
    merchantReference: (reference as string | undefined) ?? null,
    customMetadata: isObject(metadata) ? metadata : null,
    customer,
  })
  if (faults.strikes('create_cut')) return { cut: true }
  if (faults.strikes('create_silent')) return { silent: true }
  return found(world, request, transaction)
}

/** Null for none; undefined for a number of a customer that there is not. */
function customerOf({ customers }: World, wanted: unknown): Customer | null | undefined {
  if (!isObject(wanted)) return null
  if (wanted.id !== undefined) return customers.byId(wanted.id)
  return customers.save(customerFields(wanted))
}

function update(world: World, request: AcceptedRequest, transaction: Transaction): WireReaction {
  const { description, callback_url: callbackUrl, amount } = request.json
  if (statusAt(transaction, world.clock.now()).to !== 'pending')
    return refused(400, 'Opération non autorisée')
  if (amount !== undefined && !(Number.isSafeInteger(amount) && (amount as number) > 0))
    return refuse(world, request, 'La modification de la transaction a échoué', {
      amount: ['n’est pas valide'],
    })
  if (typeof amount === 'number') transaction.amount = amount
  if (typeof description === 'string') transaction.description = description
  if (typeof callbackUrl === 'string') transaction.callbackUrl = callbackUrl
  return found(world, request, transaction)
}

/** Only before the first try to pay: a transaction that was paid or has failed stays. */
function remove({ clock }: World, transaction: Transaction): WireReaction {
  const isUntried = statusAt(transaction, clock.now()).to === 'pending' && transaction.mode === null
  if (!isUntried) return refused(400, 'Opération non autorisée')
  transaction.isDeleted = true
  return NO_CONTENT
}

function token(world: World, { pageUrl }: AcceptedRequest, transaction: Transaction): WireReaction {
  if (world.faults.strikes('token_cut')) return { cut: true }
  if (!isOpen(transaction, world.clock.now())) return refused(400, 'Opération non autorisée')
  const made = tokenOf(world.ledger, transaction)
  return {
    ...ok({ token: made, url: pageUrl(made) }),
    ...(isOn(world, 'slow_tokens') && { afterMs: SLOW_TOKEN_MS }),
  }
}

function fees({ ledger, feesPaidBy }: World, query: URLSearchParams): WireReaction {
  const transaction = findByToken(ledger, query.get('token'))
  if (transaction === undefined) return refused(400, 'Token invalide')
  return ok({
    ...costsOf(transaction.amount, feesPaidBy),
    apply_fees_to_merchant: feesPaidBy === 'merchant',
    commission: COMMISSION,
    fixed_commission: 0,
    message: '',
  })
}

function prompt(world: World, request: AcceptedRequest, mode: string): WireReaction {
  const { clock, ledger, faults, modes } = world
  const { json } = request
  const transaction = findByToken(ledger, json.token)
  if (transaction === undefined) return refused(400, 'Token invalide')
  if (isOn(world, 'mode_not_activated') || !modes.includes(mode))
    return refused(400, 'Opération non autorisée')
  if (!isOpen(transaction, clock.now()))
    return refused(400, 'Cette transaction ne peut plus être payée')
  if (isOn(world, 'prompt_refused_when_repeated') && transaction.mode !== null)
    return refused(400, 'Un paiement est déjà en cours pour cette transaction')
  // FedaPay's clients put the number next to the token, its reference into phone_number; else the
  // customer's.
  const wanted =
    json.phone_number ?? (json.number === undefined ? transaction.customer?.phoneNumber : json)
  const number = readNumber(wanted)
  if (number === undefined)
    return refuse(world, request, 'Le paiement a échoué', {
      'phone_number.number': ['n’est pas valide'],
    })
  if (faults.strikes('prompt_cut_before')) return { cut: true }
  promptPayer(ledger, transaction, mode, number.number)
  if (faults.strikes('prompt_cut')) return { cut: true }
  if (faults.strikes('prompt_silent')) return { silent: true }
  if (faults.strikes('prompt_timeout_body')) return refused(408, 'Délai d’attente dépassé')
  const answer = ok({ 'v1/payment_intent': wireIntent(transaction, clock.now()) })
  if (isOn(world, 'slow_prompts')) return { ...answer, afterMs: SLOW_PROMPT_MS }
  return isOn(world, 'webhook_before_the_answer') ? { ...answer, afterMs: 1_500 } : answer
}

function customerRoute(
  world: World,
  request: AcceptedRequest,
  asked: string,
  id?: string,
): WireReaction {
  const { customers } = world
  const { json, query } = request
  if (asked === 'GET 0') return ok(wireList('customers', customers.all().map(wireCustomer), query))
  const customer = id === undefined ? undefined : customers.byId(id)
  if (id !== undefined && customer === undefined) return notFound('Client')
  if (asked === 'GET 1' && customer) return ok({ 'v1/customer': wireCustomer(customer) })
  if (asked === 'DELETE 1' && customer) {
    customers.remove(customer.id)
    return NO_CONTENT
  }
  if (asked !== 'POST 0' && asked !== 'PUT 1') return NO_SUCH_PATH
  const errors = faultsOfCustomer(json)
  if (Object.keys(errors).length > 0)
    return refuse(world, request, 'L’enregistrement du client a échoué', errors)
  return ok({
    'v1/customer': wireCustomer(customers.save(customerFields(json), customer?.id)),
  })
}

function listRoute(
  { query }: AcceptedRequest,
  asked: string,
  id: string | undefined,
  { name, one, all }: { name: string; one: string; all: readonly object[] },
): WireReaction {
  if (asked === 'GET 0') return ok(wireList(name, all, query))
  if (asked !== 'GET 1') return NO_SUCH_PATH
  const object = all.find((each) => String((each as { id: number }).id) === id)
  return object === undefined ? notFound('Objet') : ok({ [`v1/${one}`]: object })
}

function webhookRoute(
  world: World,
  request: AcceptedRequest,
  asked: string,
  id?: string,
): WireReaction {
  const { endpoints } = world
  const { json, query } = request
  if (asked === 'GET 0')
    return ok(wireList('webhooks', [...endpoints.values()].map(wireEndpoint), query))
  if (asked === 'POST 0') return saveEndpoint(world, request)
  const endpoint = endpoints.get(Number(id))
  if (endpoint === undefined) return notFound('Webhook')
  if (asked === 'DELETE 1') {
    endpoints.delete(endpoint.id)
    return NO_CONTENT
  }
  if (asked === 'PUT 1') {
    if (typeof json.enabled === 'boolean') endpoint.enabled = json.enabled
    if (typeof json.disable_on_error === 'boolean') endpoint.disableOnError = json.disable_on_error
  }
  return asked === 'GET 1' || asked === 'PUT 1'
    ? ok({ 'v1/webhook': wireEndpoint(endpoint) })
    : NO_SUCH_PATH
}

function saveEndpoint(world: World, request: AcceptedRequest): WireReaction {
  const { clock, endpoints, webhookSecret } = world
  const { url } = request.json
  if (typeof url !== 'string' || !URL.canParse(url))
    return refuse(world, request, 'La création du webhook a échoué', {
      url: ['n’est pas une URL valide'],
    })
  const id = Math.max(0, ...endpoints.keys()) + 1
  const endpoint = newEndpoint({
    id,
    url,
    secret: webhookSecret,
    events: [],
    createdAt: clock.now(),
  })
  endpoints.set(id, endpoint)
  return ok({ 'v1/webhook': wireEndpoint(endpoint) })
}

// What FedaPay checks before it creates a transaction, and the words in which it refuses one.

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** With its country code and without `+`; undefined when it cannot be a number of that country. */
export function readNumber(wanted: unknown): { number: string; country: string } | undefined {
  if (!isObject(wanted) || !isText(wanted.number) || !isText(wanted.country)) return undefined
  const country = wanted.country.toLowerCase()
  const known = findCountry(country)
  if (known === undefined || !/^\+?[\d ]+$/.test(wanted.number)) return undefined
  const { callingCode: code, national: digits } = known
  const compact = wanted.number.replace(/[+ ]/g, '')
  const isInternational =
    wanted.number.startsWith('+') || (compact.startsWith(code) && compact.length > 10)
  if (isInternational && !compact.startsWith(code)) return undefined
  const national = isInternational ? compact.slice(code.length) : compact
  return digits.test(national) ? { number: code + national, country } : undefined
}

export function faultsOfTransaction(
  body: Record<string, unknown>,
  isTaken: (reference: string) => boolean,
): FieldErrors {
  const errors: FieldErrors = {}
  const {
    description,
    amount,
    currency,
    callback_url: callbackUrl,
    merchant_reference: reference,
    customer,
  } = body
  if (!isText(description)) errors.description = ['doit être rempli(e)']
  if (!Number.isSafeInteger(amount) || (amount as number) <= 0)
    errors.amount = ['doit être un nombre entier positif']
  if (!isObject(currency) || (currency.iso !== 'XOF' && Number(currency.code) !== 952))
    errors.currency = ['n’est pas une devise disponible']
  if (callbackUrl != null && !(isText(callbackUrl) && URL.canParse(callbackUrl)))
    errors.callback_url = ['n’est pas une URL valide']
  if (reference != null) {
    if (!isText(reference) || reference.length > 255)
      errors.merchant_reference = ['n’est pas valide']
    else if (isTaken(reference)) errors.merchant_reference = ['n’est pas disponible']
  }
  return { ...errors, ...faultsOfCustomer(customer, 'customer.') }
}

export function faultsOfCustomer(customer: unknown, prefix = ''): FieldErrors {
  if (customer == null) return {}
  if (!isObject(customer)) return { [prefix || 'customer']: ['n’est pas valide'] }
  const errors: FieldErrors = {}
  const { email, phone_number: phoneNumber } = customer
  if (email != null && !(isText(email) && /^[^@\s]+@[^@\s]+$/.test(email)))
    errors[`${prefix}email`] = ['n’est pas valide']
  if (phoneNumber != null && readNumber(phoneNumber) === undefined)
    errors[`${prefix}phone_number.number`] = ['n’est pas valide']
  return errors
}

export function customerFields({
  firstname,
  lastname,
  email,
  phone_number: phoneNumber,
}: Record<string, unknown>) {
  return {
    ...(typeof firstname === 'string' && { firstname }),
    ...(typeof lastname === 'string' && { lastname }),
    ...(typeof email === 'string' && { email }),
    ...(phoneNumber != null && { phoneNumber: readNumber(phoneNumber) ?? null }),
  }
}
