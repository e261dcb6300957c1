// A payment by any of its names, with its story, for the service's own people.
import { findAccountName } from '../actions/console/tasks.ts'
import { showPayment } from '../actions/payments/show-payment.ts'
import type { ServicePerson } from '../domain/caller.ts'
import { namedOperator } from '../domain/operator-names.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import type { DashboardDeps } from './deps.ts'
import type { ConsolePaymentBody } from './shapes.ts'
import { timelineOf } from './timeline.ts'

export async function consolePayment(
  deps: DashboardDeps,
  caller: ServicePerson,
  { name }: { name: string },
): Promise<ConsolePaymentBody | Refused> {
  const shown = await showPayment(deps, caller, { name })
  if (isRefused(shown)) return shown
  const { payment, status, story } = shown
  const { accountId, environment, reference, publicReference, externalReference, amountXof, operator } = payment
  const final = story.findLast(({ kind, detail }) => kind === 'moved' && detail.to === status)
  return {
    payment: {
      ...{ reference, publicReference, transactionId: externalReference, amount: amountXof, status },
      operator: operator || null,
      operatorName: operator === '' ? null : namedOperator(operator),
      msisdn: payment.msisdnWritten,
      payerName: null,
      createdAt: payment.createdAt,
      finalAt: status === 'pending' || status === 'initiated' ? null : (final?.at ?? null),
    },
    ...(await findAccountName(deps, caller, { accountId })),
    environment,
    accountId,
    timeline: timelineOf(story, { hasPhone: payment.msisdnWritten !== null }),
  }
}
