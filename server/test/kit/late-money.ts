// The simulated network as the witness of late money: it has taken a payment that it declined
// before.
import { SUCCEEDS_AT_ONCE } from '../../src/simulator/network.ts'
import type { Queries } from '../../src/store/engine/database.ts'

export async function payAtNetwork(db: Queries, reference: string): Promise<void> {
  await db.change(
    'update simulated_payments set msisdn = :SUCCEEDS_AT_ONCE where reference = :reference',
    { reference, SUCCEEDS_AT_ONCE },
  )
}
