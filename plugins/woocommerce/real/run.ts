// node plugins/woocommerce/real/run.ts [--orders 10000] [--only 1,2] [--scale 0.1] [--store posts]:
// the cases against a real shop. KARBA_WOOCOMMERCE names a folder with the plugin WooCommerce,
// KARBA_WORDPRESS one of WordPress (Debian's by default). Neither is part of this repository.
import { parseArgs } from 'node:util'
import { CASES, type CaseResult, storm } from './cases.ts'
import { complaintsOf, PLAIN, whatIsMissing } from './open-shop.ts'
import { openStand } from './stand.ts'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '0' },
    only: { type: 'string' },
    scale: { type: 'string', default: '1' },
    store: { type: 'string', default: 'tables' },
  },
})

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const missing = whatIsMissing()
if (missing !== undefined) {
  print(`NOT RUN: ${missing}.`)
  process.exit(0)
}

const only = values.only?.split(',').map(Number)
const scale = Number(values.scale)
const stand = await openStand({
  ...PLAIN,
  woocommerce: process.env.KARBA_WOOCOMMERCE as string,
  orders: values.store as 'tables',
})
const { wordpress, woocommerce, database, php } = stand.shop.versions
print(
  `WordPress ${wordpress}, WooCommerce ${woocommerce}, ${database}, PHP ${php}, orders in ${values.store}`,
)

let failures = 0
let orders = 0
async function runCase(name: string, work: () => Promise<CaseResult>): Promise<void> {
  const startedAt = performance.now()
  const seconds = (): string => `${Math.round((performance.now() - startedAt) / 1_000)} s`
  try {
    const result = await work()
    orders += result.orders
    print(`| ${name} | ${result.orders} | ${result.saw} | ${seconds()} |`)
  } catch (error) {
    failures++
    print(`| ${name} | FAILED | ${(error as Error).stack?.slice(0, 1_500)} | ${seconds()} |`)
  }
}

for (const { number, title, times, run } of CASES) {
  if (only !== undefined && !only.includes(number)) continue
  await runCase(`${number}. ${title}`, () => run(stand, Math.max(2, Math.round(times * scale))))
}
const left = Number(values.orders) - orders
if (left > 0) await runCase('Storm', () => storm(stand, left))

const { payments, orders: all, lost, wrong } = await stand.audit()
print(
  `Audit: ${all} orders, ${payments} succeeded at Karba, ${lost.length} lost, ${wrong.length} paid without a payment`,
)
for (const line of [...lost, ...wrong, ...complaintsOf(stand.shop)].slice(0, 20)) print(line)
await stand.close()
process.exitCode = failures + lost.length + wrong.length === 0 ? 0 : 1
