// Reads a payment, and while it has no outcome waits for one, for some time. Waiting is a kindness: when too many wait, or the process stops,
// the answer is the payment as it is now (D-91).
import type { MerchantCaller } from '../../domain/caller.ts'
import type { Payment } from '../../domain/payment.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import type { PaymentWatcher } from './payment-watcher.ts'
import { readPayment } from './read-payment.ts'

export interface WaitDeps {
  db: Database
  watcher: Pick<PaymentWatcher, 'watch'>
}

interface WaitInput {
  name: string | undefined
  waitMs: number
  /** Aborted when the caller goes away. */
  gone: AbortSignal
}

export async function waitForPayment(
  { db, watcher }: WaitDeps,
  caller: MerchantCaller,
  { name, waitMs, gone }: WaitInput,
): Promise<Payment | RefusedAs<'payment_not_found'>> {
  const payment = await readPayment({ db }, caller, { name })
  if (isRefused(payment) || waitMs === 0 || hasOutcome(payment)) return payment
  const again = () => readPayment({ db }, caller, { name: payment.reference })
  const watch = await watcher.watch(caller.accountId, payment.reference)
  if (watch === undefined) return payment
  try {
    gone.addEventListener('abort', watch.release, { once: true })
    if (gone.aborted) return payment
    const meanwhile = await again()
    if (isRefused(meanwhile) || hasOutcome(meanwhile)) return meanwhile
    await watch.wait(waitMs)
    return gone.aborted ? payment : await again()
  } finally {
    watch.release()
  }
}

const hasOutcome = ({ status }: Payment): boolean => status !== 'initiated' && status !== 'pending'
