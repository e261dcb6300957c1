// The clients of clients/ and the SDK under the cases of clients/conformance, each by its driver.
import { after, before, describe, it } from 'node:test'
import { casesOf } from '../../../clients/conformance/cases.ts'
import { CLIENTS, isRunnable } from '../../../clients/conformance/clients.ts'
import { type Kit, openKit, passes } from '../../../clients/conformance/kit.ts'
import { tried, tries } from '../kit/tries.ts'

const ORDERS = tries(150, 1_000)

for (const kind of CLIENTS) {
  const isMissing = !isRunnable(kind) && process.env.CI === undefined
  describe(
    `the client for ${kind.name}`,
    isMissing ? { skip: 'its language is not on this machine' } : {},
    () => {
      let kit: Kit
      before(async () => {
        kit = await openKit(kind, { orders: ORDERS, seed: 1 })
      })
      after(() => kit.close())

      for (const { title, run } of casesOf(kind))
        it(`clients/${kind.name}: ${title}`, async () => {
          kit.line.next = passes
          await run(kit)
          tried(ORDERS)
        })
    },
  )
}
