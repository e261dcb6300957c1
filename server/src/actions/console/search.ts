// One search for the staff: merchants by name or id, payments of every merchant by any reference,
// the operator's too, by the beginning of an order's id, by the payer's number or name. Each query
// looks at a bounded number of rows.

import { readSearch } from '../../domain/lists/search-terms.ts'
import { EVERY_ACCOUNT, type ServicePerson } from '../../domain/people/caller.ts'
import { isRefused } from '../../domain/refusals/refusal.ts'
import { isExternalReference } from '../../domain/texts/free-text.ts'
import { namesOfMerchants } from '../../store/console/tasks.ts'
import type { Database } from '../../store/engine/database.ts'
import { listNumberedPayments } from '../../store/payments/payment-list.ts'
import {
  listByOrderStart,
  listByTermOfAll,
  listNotIndexedOfAll,
  listSearched,
  MOST_OF_ALL,
  type PaymentKey,
} from '../../store/payments/payment-search.ts'
import { findOperatorPayment } from '../../store/payments/payments.ts'
import { type ListedMerchant, listMerchants } from '../merchants/show-merchants.ts'
import { type PricedPayment, withMoney } from '../payments/payment-money.ts'
import { type FindPaymentDeps, findNamedPayment } from '../payments/read-payment.ts'

export interface ConsoleFindings {
  merchants: ListedMerchant[]
  /** Newest first. */
  payments: (PricedPayment & { merchantName: string })[]
  /** There are more payments than these, or rows that were not looked at. */
  isMore: boolean
}

const MOST_MERCHANTS = 10
const MOST_PAYMENTS = 50
const MOST_OF_ACCOUNT = { lists: 1, payments: MOST_PAYMENTS }

export async function searchConsole(
  deps: FindPaymentDeps,
  caller: ServicePerson,
  { search }: { search: string },
): Promise<ConsoleFindings> {
  const written = search.trim()
  if (written === '') return { merchants: [], payments: [], isMore: false }
  const { db } = deps
  const merchants = await listMerchants(deps, caller, { search: written, limit: MOST_MERCHANTS })
  const { keys, isMore } = await findPayments(deps, caller, written)
  const chosen = keys.toSorted((a, b) => b.number - a.number).slice(0, MOST_PAYMENTS)
  return {
    merchants: isRefused(merchants) ? [] : merchants.rows,
    payments: await listChosen(db, chosen),
    isMore: isMore || keys.length > MOST_PAYMENTS,
  }
}

async function findPayments(
  deps: FindPaymentDeps,
  caller: ServicePerson,
  written: string,
): Promise<{ keys: PaymentKey[]; isMore: boolean }> {
  const named = await findNamedPayment(deps, caller, { name: written })
  if (!isRefused(named)) return { keys: [named], isMore: false }
  if (named.refused === 'payment_name_ambiguous') {
    const found = named.references.map((reference) =>
      findOperatorPayment(deps.db, EVERY_ACCOUNT, reference),
    )
    return {
      keys: (await Promise.all(found)).filter((payment) => payment !== undefined),
      isMore: false,
    }
  }
  const starting = await findByStart(deps.db, written)
  const read = readSearch(written)
  if (read === undefined) return { keys: starting, isMore: false }
  const notIndexed = await listNotIndexedOfAll(deps.db)
  let isMore = notIndexed.length === MOST_OF_ALL.notIndexed
  const rows = [notIndexed]
  for (const term of read.terms) {
    const found = await listByTermOfAll(deps.db, EVERY_ACCOUNT, null, term, MOST_OF_ACCOUNT)
    isMore ||= found.length === MOST_OF_ALL.found
    rows.push(await listSearched(deps.db, found))
  }
  return { keys: withoutRepeats([...starting, ...rows.flat().filter(read.matches)]), isMore }
}

const SHORTEST_START = 3

/** By the beginning of an order's id: as it is written, in upper case, and in lower case. */
async function findByStart(db: Database, written: string): Promise<PaymentKey[]> {
  if (written.length < SHORTEST_START || !isExternalReference(written)) return []
  const starts = [...new Set([written, written.toUpperCase(), written.toLowerCase()])]
  const found = await Promise.all(
    starts.map((start) => listByOrderStart(db, start, MOST_PAYMENTS + 1)),
  )
  return withoutRepeats(found.flat())
}

const withoutRepeats = (keys: readonly PaymentKey[]): PaymentKey[] => [
  ...new Map(keys.map((key) => [`${key.accountId} ${key.number}`, key])).values(),
]

async function listChosen(
  db: Database,
  chosen: readonly PaymentKey[],
): Promise<ConsoleFindings['payments']> {
  const byAccount = [...Map.groupBy(chosen, ({ accountId }) => accountId)]
  const names = await namesOfMerchants(
    db,
    byAccount.map(([accountId]) => accountId),
  )
  const lists = byAccount.map(async ([accountId, own]) => {
    const numbers = own.map(({ number }) => number)
    return withMoney(db, accountId, await listNumberedPayments(db, accountId, numbers, {}))
  })
  return (await Promise.all(lists))
    .flat()
    .sort((a, b) => b.number - a.number)
    .map((payment) => ({ ...payment, merchantName: names.get(payment.accountId) ?? '' }))
}
