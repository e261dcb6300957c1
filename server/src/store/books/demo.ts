// Whether a store has only the demo merchant and no books yet.
import type { Queries } from '../engine/database.ts'
import { findDemo } from '../people/people.ts'
import { firstRow } from '../rows.ts'

export interface DemoStore {
  /** The demo merchant's sandbox. */
  accountId: string
  otherMerchants: number
  livePayments: number
  /** Imported files. */
  statements: number
}

/** Undefined where the first start made no demo merchant. */
export async function findDemoStore(db: Queries): Promise<DemoStore | undefined> {
  const demo = await findDemo(db)
  if (demo === undefined) return undefined
  return firstRow<DemoStore>(
    db,
    `select account_id as "accountId",
       (select count(*) from merchants where merchant_id <> $1) as "otherMerchants",
       (select count(*) from payments where environment = 'live') as "livePayments",
       (select count(*) from statement_files) as "statements"
     from accounts where merchant_id = $1 and environment = 'sandbox'`,
    [demo.merchantId],
  )
}
