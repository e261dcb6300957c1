// One way in which a network fails in the field, and what must come of it: a row of the table that test-faults.ts runs with the whole service
// on both stores. Each network has its own file of rows.

import type { ConformanceNetwork } from '../../../simulators/src/network.ts'
import type { FailureReason } from '../../src/domain/outcome.ts'

export interface FaultCase {
  /** The number of the fault in docs/networks.md. */
  fault: number
  /** The rest of a sentence that begins with the network's name: "answers 202 and then 404 for a while". */
  about: string
  /** Switches faults on, before the payment is made. */
  arrange?(network: ConformanceNetwork): void
  /** The connection has to get a token first: without this, it has one. */
  withoutToken?: true
  /** The payer's number as a merchant writes it; one that succeeds, by default. */
  msisdn?: string
  /** What is done some time after the payment was made: how long after, and what. */
  later?: readonly [afterMs: number, act: (network: ConformanceNetwork) => void][]
  /** Whether the payment is refunded once it has succeeded. */
  refunded?: true
  /** How long the service is left alone, on the virtual clock, before it is looked at. */
  forMs: number
  expect: {
    status: 'pending' | 'succeeded' | 'failed' | 'refunded'
    reason?: FailureReason
    /** In the network's books; never two. */
    debits: 0 | 1
    refunds?: 0 | 1
    /** The events that the merchant is told of, in order: succeeded, failed, refunded. */
    events: readonly string[]
    /** What a person is given to look at. */
    anomalies?: readonly string[]
    /** Words that the payment's story has: the network's own code, say. */
    story?: readonly string[]
    /** Whether the refund waits for a person. */
    refundByHand?: true
    /** Whether the connection is told to be misconfigured. */
    misconfigured?: true
  }
}
