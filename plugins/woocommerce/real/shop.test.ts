// The plugin in a real WordPress with a real WooCommerce, where KARBA_WOOCOMMERCE names a folder
// with it: some orders of each case. `node plugins/woocommerce/real/run.ts` runs them at full size.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CASES } from './cases.ts'
import { PLAIN, whatIsMissing } from './open-shop.ts'
import { openStand, type Stand } from './stand.ts'

const missing = whatIsMissing()
if (missing !== undefined)
  process.stdout.write(`The WooCommerce plugin was NOT RUN in a real shop: ${missing}.\n`)

const STORES = ['tables', 'posts', 'both'] as const
const TIMES = 2

for (const orders of STORES)
  describe(
    `WooCommerce plugin, orders in ${orders}`,
    missing === undefined ? {} : { skip: `NOT RUN: ${missing}` },
    () => {
      let stand: Stand
      before(async () => {
        const woocommerce = process.env.KARBA_WOOCOMMERCE as string
        stand = await openStand({ ...PLAIN, woocommerce, orders })
      })
      after(() => stand?.close())

      for (const { number, title, run } of CASES)
        it(`shop: case ${number}, ${title}`, async (t) => {
          const { saw } = await run(stand, TIMES)
          t.diagnostic(saw)
        })

      it('shop: every payment that succeeded has its order', async () => {
        const { lost, wrong, payments } = await stand.audit()
        assert.ok(payments > TIMES, 'there is something to check')
        assert.deepEqual({ lost, wrong }, { lost: [], wrong: [] })
      })
    },
  )
