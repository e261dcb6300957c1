// Makes one call about a payment, and finds out whether an answer may be believed: a network that
// has forgotten what it had accepted would debit the payer again.
import type { ServiceClock } from '../domain/clock-and-random.ts'
import { type OperatorPayment, requestReferenceOf } from '../domain/payments/operator-payment.ts'
import type { OperatorAnswer, OperatorReport } from '../domain/payments/operator-report.ts'
import type { ConnectionCalls } from './connection-calls.ts'

export interface NetworkCallerDeps {
  clock: ServiceClock
  /**
   * Keeps the network's own id of a payment that this process has claimed; false when the claim has
   * ended.
   */
  keepNetworkId(
    payment: OperatorPayment,
    kept: { networkId: string; claimedDueAt: number },
  ): Promise<boolean>
  /**
   * A pending payment of the connection that its operator has accepted at about the time of this
   * one.
   */
  findAccepted(payment: OperatorPayment): Promise<OperatorPayment | undefined>
  /** Logs a fault of our own while an outcome is recorded or a claim released. */
  failed(error: unknown): void
}

export interface Call {
  payment: OperatorPayment
  via: OperatorReport['via']
  claimedDueAt: number
}

/** How long one answer about an accepted payment holds for all whose send is not recorded. */
const MEMORY_HOLDS_MS = 5_000

interface Memory {
  askedAt: number
  /** The accepted payment that the network has forgotten. */
  forgotten: Promise<string | undefined>
}

export class NetworkCaller {
  readonly #deps: NetworkCallerDeps
  readonly #memories = new Map<ConnectionCalls, Memory>()

  constructor(deps: NetworkCallerDeps) {
    this.#deps = deps
  }

  async call(
    connection: ConnectionCalls,
    { payment, via, claimedDueAt }: Call,
  ): Promise<OperatorReport> {
    const { clock } = this.#deps
    const calledAt = clock.now()
    const answer =
      via === 'request'
        ? await this.#request(connection, payment, claimedDueAt)
        : await this.#status(connection, payment)
    connection.answered(answer, clock.now() - calledAt)
    return { payment, via, calledAt, clockJumpedTo: clock.lastJump().to, answer }
  }

  #request(
    { operator }: ConnectionCalls,
    payment: OperatorPayment,
    claimedDueAt: number,
  ): Promise<OperatorAnswer> {
    const { keepNetworkId, failed } = this.#deps
    /** A store that fails counts as a claim that has ended: nothing is sent. */
    const keep = (networkId: string): Promise<boolean> =>
      keepNetworkId(payment, { networkId, claimedDueAt }).catch((error) => {
        failed(error)
        return false
      })
    return operator.request({
      ...payment,
      reference: requestReferenceOf(payment),
      keepNetworkId: keep,
    })
  }

  /**
   * A payment with an unrecorded send is sent again when its operator does not know it. So before
   * that the operator is asked about another payment, which it had accepted: one with empty books
   * would debit the payer again.
   */
  async #status(connection: ConnectionCalls, payment: OperatorPayment): Promise<OperatorAnswer> {
    const answer = await connection.operator.status(requestReferenceOf(payment), payment.networkId)
    const isUnrecorded = payment.handedOverAt === null && payment.networkId === null
    const wouldBeSent = answer.is === 'not_known' && !answer.notAsked && isUnrecorded
    if (!wouldBeSent || payment.claims <= 1) return answer
    const alsoForgotten = await this.#findForgotten(connection, payment)
    return alsoForgotten === undefined ? answer : { ...answer, alsoForgotten }
  }

  /** After a crash many payments need this answer at once: they share one call. */
  #findForgotten(
    connection: ConnectionCalls,
    payment: OperatorPayment,
  ): Promise<string | undefined> {
    const { clock, failed } = this.#deps
    const known = this.#memories.get(connection)
    const passedMs = clock.now() - (known?.askedAt ?? 0)
    if (known !== undefined && passedMs >= 0 && passedMs < MEMORY_HOLDS_MS) return known.forgotten
    const forgotten = this.#askAboutAccepted(connection, payment).catch(
      (error: unknown): undefined => {
        failed(error)
        return undefined
      },
    )
    this.#memories.set(connection, { askedAt: clock.now(), forgotten })
    return forgotten
  }

  async #askAboutAccepted(
    { operator }: ConnectionCalls,
    payment: OperatorPayment,
  ): Promise<string | undefined> {
    const accepted = await this.#deps.findAccepted(payment)
    if (accepted === undefined) return undefined
    const answer = await operator.status(requestReferenceOf(accepted), accepted.networkId)
    return answer.is === 'not_known' && answer.notAsked !== true ? accepted.reference : undefined
  }
}
