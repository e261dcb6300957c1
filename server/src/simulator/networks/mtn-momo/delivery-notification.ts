// A message to a payer after a payment. The network wants it in a header and in the body, once in a while, and not for long.
import type { Clock } from '../../../domain/clock-and-random.ts'
import type { WireReaction, WireRequest } from '../network.ts'
import { readObject } from './access.ts'
import * as answers from './answers.ts'
import { type Operation, statusOf } from './operations.ts'

const LONGEST_MESSAGE = 160
/** The documents name neither figure. */
const SENT_WITHIN_MS = 3_600_000
const PAUSE_MS = 60_000

export function deliveryNotifications(
  clock: Clock,
): (request: WireRequest, payment: Operation | undefined) => WireReaction {
  const sentAt = new WeakMap<Operation, number>()

  return ({ headers, body }, payment) => {
    const messages = [headers.notificationmessage, readObject(body)?.notificationMessage]
    const isRight = messages.every((text) => typeof text === 'string' && text !== '' && text.length <= LONGEST_MESSAGE)
    if (!isRight) return answers.BAD_REQUEST
    if (payment === undefined) return answers.NOT_FOUND
    const now = clock.now()
    if (statusOf(payment, now) !== 'SUCCESSFUL') return { code: 409 }
    if (now - payment.decidedAt > SENT_WITHIN_MS) return { code: 410 }
    if (now - (sentAt.get(payment) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return { code: 429 }
    sentAt.set(payment, now)
    return { code: 200 }
  }
}
