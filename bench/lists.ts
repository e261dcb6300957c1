// The time of lists with a million payments, relative to ten thousand: by pages, by state, by time, by name. Rows are inserted by SQL,
// since only reading is measured; each list is read through its action, as commands do.
import { readHome } from '../server/src/actions/figures/read-home.ts'
import { listNewestLinks } from '../server/src/actions/links/read-payment-link.ts'
import { createMerchant } from '../server/src/actions/merchants/create-merchant.ts'
import { findNamedPayment } from '../server/src/actions/payments/read-payment.ts'
import { listNewestPayments, searchPayments } from '../server/src/actions/payments/list-payments.ts'
import { listLatestDeliveries } from '../server/src/actions/webhooks/deliveries.ts'
import { readConfig } from '../server/src/config.ts'
import type { AccountCaller, MerchantCaller } from '../server/src/domain/caller.ts'
import { type Runtime, openRuntime } from '../server/src/service/runtime.ts'
import { median, progress } from './compare.ts'
import { type Bench, type Part, inPlace } from './part.ts'
import type { Figure } from './report.ts'
import type { Settings } from './stores.ts'

const FEW = 10_000
const MANY = 1_000_000
const TIMES = 30
const SHELL: AccountCaller = { is: 'shell', user: 'bench', host: 'bench' }
const FIRST_AT = Date.UTC(2026, 0, 1)

const ownerOf = (accountId: string): MerchantCaller => ({
  ...{ is: 'merchant_person', accountId, environment: 'sandbox', personId: 'per_bench', role: 'owner' },
})

type Ask = (runtime: Runtime, accountId: string, count: number) => Promise<object>

/** By the name in the report. */
const LISTS: Readonly<Record<string, Ask>> = {
  'newest payments': (runtime, accountId) => listNewestPayments(runtime, SHELL, { accountId }),
  'payments half-way down': (runtime, accountId, count) =>
    listNewestPayments(runtime, SHELL, { accountId, after: String(count / 2) }),
  'payments of all accounts': (runtime) => listNewestPayments(runtime, SHELL, {}),
  'failed payments': (runtime, accountId) => listNewestPayments(runtime, SHELL, { accountId, status: 'failed' }),
  'refunded payments, of which there are five': (runtime, accountId) =>
    listNewestPayments(runtime, SHELL, { accountId, status: 'refunded' }),
  'pending payments, of which there is none': (runtime, accountId) =>
    listNewestPayments(runtime, SHELL, { accountId, status: 'pending' }),
  'payments of an hour': (runtime, accountId) =>
    listNewestPayments(runtime, SHELL, { accountId, from: FIRST_AT + 3_600_000, to: FIRST_AT + 2 * 3_600_000 }),
  'payment by its public reference': (runtime, _accountId, count) =>
    findNamedPayment(runtime, SHELL, { name: runtime.publicReferences.of(count / 2) }),
  'payment by its transaction_id': (runtime, _accountId, count) =>
    findNamedPayment(runtime, SHELL, { name: `order ${count / 2}` }),
  'payments of an amount that nobody paid': (runtime, accountId) =>
    searchPayments(runtime, ownerOf(accountId), { minimumXof: 1_501 }),
  'payments by the number of a payer with many': (runtime, accountId) =>
    searchPayments(runtime, ownerOf(accountId), { search: '+227 96 12 34 56' }),
  'payments by a name that many have': (runtime, accountId) =>
    searchPayments(runtime, ownerOf(accountId), { search: 'awa' }),
  'payments by a name that begins like many': (runtime, accountId) =>
    searchPayments(runtime, ownerOf(accountId), { search: 'awatif' }),
  'first page of the dashboard': (runtime, accountId) => readHome(runtime, ownerOf(accountId), { days: 90 }),
  'newest links': (runtime, accountId) => listNewestLinks(runtime, SHELL, { accountId }),
  'latest deliveries': (runtime, accountId) => listLatestDeliveries(runtime, SHELL, { accountId }),
  'failed deliveries': (runtime, accountId) => listLatestDeliveries(runtime, SHELL, { accountId, failedOnly: true }),
}

export const lists: Part = {
  name: 'lists',
  isLong: true,
  measure: ({ store }: Bench) =>
    inPlace(store, (ofFew) =>
      inPlace(store, async (ofMany) => {
        const few = await open(ofFew, FEW)
        progress(`${store.name}: writing ${MANY} payments for the lists`)
        const many = await open(ofMany, MANY)
        try {
          const figures: Figure[] = []
          for (const [name, ask] of Object.entries(LISTS)) {
            progress(`${store.name}: ${name}`)
            const [little, much] = await timeBoth(few.time, many.time, ask)
            const what = `${store.name}: ${name}, of a million, of 10,000`
            const detail = `${little.toFixed(2)} and ${much.toFixed(2)} ms`
            figures.push({ what, value: much / little, detail, atMost: 3 })
          }
          return figures
        } finally {
          await few.runtime.close()
          await many.runtime.close()
        }
      }),
    ),
}

async function open(place: Settings, count: number) {
  const runtime = await openRuntime(readConfig({ ...place, KARBA_LOG_LEVEL: 'silent' }))
  const merchant = await createMerchant(runtime, SHELL, { name: 'Boutique', validateLive: false })
  if ('refused' in merchant) throw new Error(merchant.refused)
  const { accountId } = merchant.accounts.sandbox
  for (const sql of FILL) {
    for (let from = 0; from < count; from += CHUNK)
      await runtime.db.change(sql, [accountId, FIRST_AT, Math.min(from + CHUNK, count), from])
  }
  for (const sql of SUMMARISE) await runtime.db.change(sql, [accountId, FIRST_AT, count])
  await runtime.db.alone(async (_tx, script) => script('analyze'))
  return {
    runtime,
    time: async (ask: Ask): Promise<number> => {
      const startedAt = performance.now()
      await ask(runtime, accountId, count)
      return performance.now() - startedAt
    },
  }
}

type Time = (ask: Ask) => Promise<number>

/** The medians in milliseconds; the first half only warms up. They take turns, because the machine's speed drifts. */
async function timeBoth(few: Time, many: Time, ask: Ask): Promise<[number, number]> {
  const times: [number, number][] = []
  for (let at = 0; at < 2 * TIMES; at++) times.push([await few(ask), await many(ask)])
  const counted = times.slice(TIMES)
  return [median(counted.map(([little]) => little)), median(counted.map(([, much]) => much))]
}

/** The store gives a statement ten seconds. */
const CHUNK = 50_000
const COUNTED = `with recursive n (i) as (select cast($4 as bigint) union all select i + 1 from n where i < cast($3 as bigint) - 1)`

/** A payment every ten seconds; one in fifty failed, the first five refunded, one in twenty made through a link, each with one delivery. */
const FILL = [
  `insert into payments (account_id, environment, number, reference, public_reference, external_reference, status, amount_xof,
     country, msisdn_written, msisdn, operator, customer_name, created_at)
   ${COUNTED} select $1, 'sandbox', i, 'payment ' || i, 'public ' || i, 'order ' || i,
     case when i < 5 then 'refunded' when i % 50 = 0 then 'failed' else 'succeeded' end, 1500, 'NE', '96123456',
     '22796123456', 'airtel_ne', 'Awa', cast($2 as bigint) + i * 10000 from n`,
  `insert into payment_links (account_id, number, reference, title, created_at)
   ${COUNTED} select $1, i, 'link ' || i, 'Commande', cast($2 as bigint) + i * 10000 from n where i % 20 = 0`,
  `insert into events (account_id, sequence, event_id, event, number, payload, created_at)
   ${COUNTED} select $1, i + 1, 'evt_' || i, 'payment.succeeded', i, '{}', cast($2 as bigint) + i * 10000 from n`,
  `insert into webhook_deliveries (account_id, endpoint_id, sequence, round, is_replay, number, status, attempts, created_at)
   ${COUNTED} select $1, 'whe_bench', i + 1, 0, 0, i, case when i % 100 = 0 then 'failed' else 'delivered' end, 1,
     cast($2 as bigint) + i * 10000 from n`,
  // As the worker leaves it behind.
  ...['22796123456', 'awa'].map(
    (term) => `insert into payment_search (account_id, term, number)
   ${COUNTED} select $1, '${term}', i from n where cast($2 as bigint) > 0`,
  ),
]

const SUMMARISE = [
  `insert into payment_summaries (account_id, last_sequence, indexed_number)
   select cast($1 as text), cast($3 as bigint), cast($3 as bigint) - 1 where cast($2 as bigint) > 0`,
  `insert into daily_figures (account_id, day, operator, outcome, reason, payments, amount_xof)
   select account_id, (created_at + 3600000) / 86400000, operator, case when status = 'failed' then 'failed' else 'succeeded' end, '',
     count(*), sum(amount_xof) from payments
   where account_id = $1 and cast($2 as bigint) > 0 and cast($3 as bigint) > 0
   group by account_id, (created_at + 3600000) / 86400000, operator, case when status = 'failed' then 'failed' else 'succeeded' end`,
]
