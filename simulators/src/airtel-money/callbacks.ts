// The callbacks of the simulated Airtel: to one address, each once, since no document mentions a
// second attempt.
import { createHmac } from 'node:crypto'
import type { PartDeps } from '../network.ts'
import { withCommas } from './answers.ts'
import type { StatusChange, WalletPayment } from './wallet.ts'

interface CallbackSettings {
  url: string | undefined
  /** Of callback authentication; without one there is no hash. */
  key: string | undefined
  hashHeader: string | undefined
  currency: string
}

export interface CallbacksDeps extends PartDeps {
  settings: CallbackSettings
  /** Whether the payment is still in the books, and still has to happen this way. */
  isCurrent(payment: WalletPayment, change: StatusChange): boolean
}

const REPEATS = 20
const REPEATED_EVERY_MS = 1_000
const IN_PROGRESS_EVERY_MS = 10_000

export function scheduleCallbacks(
  deps: CallbacksDeps,
  payment: WalletPayment,
  changes: readonly StatusChange[],
): void {
  const { clock, faults } = deps
  const now = clock.now()
  for (const change of changes) {
    clock.after(Math.max(0, change.at - now), () => {
      if (!deps.isCurrent(payment, change)) return
      const times = faults.isOn('callbacks_repeated') ? REPEATS : 1
      for (let nth = 0; nth < times; nth++)
        clock.after(nth * REPEATED_EVERY_MS, () =>
          send(deps, payment, change.status, change.message),
        )
    })
  }
  const [first] = changes
  if (first === undefined || !faults.isOn('callbacks_in_progress')) return
  for (let at = IN_PROGRESS_EVERY_MS; at < first.at - now; at += IN_PROGRESS_EVERY_MS) {
    clock.after(at, () => {
      if (deps.isCurrent(payment, first)) send(deps, payment, 'TIP', 'Transaction in progress')
    })
  }
}

function send(
  { faults, settings, sendCallback }: CallbacksDeps,
  payment: WalletPayment,
  status: string,
  message: string,
): void {
  const { url, key, hashHeader } = settings
  if (url === undefined || faults.isOn('no_callbacks')) return
  const opposite = status === 'TS' ? 'TF' : 'TS'
  const transaction = {
    ...(!faults.isOn('callbacks_without_id') && { id: payment.id }),
    message: status === 'TS' ? receipt(payment, settings.currency) : message,
    status_code: faults.isOn('callbacks_say_the_opposite') ? opposite : status,
    airtel_money_id: payment.airtelMoneyId,
  }
  const hashed = JSON.stringify(faults.isOn('callbacks_with_wrong_hash') ? {} : transaction)
  const hasHash = key !== undefined && !faults.isOn('callbacks_without_hash')
  const hash = hasHash ? createHmac('sha256', key).update(hashed).digest('base64') : undefined
  void sendCallback({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      ...(hash !== undefined && hashHeader !== undefined && { [hashHeader]: hash }),
    },
    body: JSON.stringify({
      transaction,
      ...(hash !== undefined && hashHeader === undefined && { hash }),
    }),
  })
}

const receipt = ({ amount, airtelMoneyId }: WalletPayment, currency: string): string =>
  `Paid ${currency} ${withCommas(amount).slice(0, -3)} to SIMULATED MERCHANT Charge ${currency} 0, Trans ID ${airtelMoneyId}.`
