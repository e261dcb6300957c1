// What rows of MTN MoMo's faults are made of: acts on the network, and what usually comes of a payment.
import assert from 'node:assert/strict'
import type { MTN_MOMO_FAULTS } from '../../../../simulators/src/mtn-momo/numbers-and-faults.ts'
import type { ConformanceNetwork } from '../../../../simulators/src/network.ts'
import type { FaultCase } from '../fault-case.ts'

type Fault = keyof typeof MTN_MOMO_FAULTS
type Act = (network: ConformanceNetwork) => void

export const on =
  (fault: Fault, times?: number): Act =>
  ({ faults }) =>
    assert.ok(faults.on(fault, times))
export const off =
  (fault: Fault): Act =>
  ({ faults }) =>
    faults.off(fault)
export const both =
  (...acts: Act[]): Act =>
  (network) => {
    for (const act of acts) act(network)
  }
/** The payer says yes to the only payment that waits for one. */
export const approve: Act = (network) => assert.ok(network.books().some(({ id }) => network.decide(id, 'approve')))

/** What is done some time after the payment was made. */
export const laterOn = (...steps: NonNullable<FaultCase['later']>): Pick<FaultCase, 'later'> => ({ later: steps })

export const MINUTE_MS = 60_000
export const SUCCEEDED = { status: 'succeeded', debits: 1, events: ['succeeded'] } as const
export const REFUNDED = { status: 'refunded', debits: 1, refunds: 1, events: ['succeeded', 'refunded'] } as const
export const NOT_REFUNDED = { ...SUCCEEDED, refunds: 0 } as const
export const UNDECIDED = { status: 'pending', debits: 0, events: [] } as const
export const failed = (reason: NonNullable<FaultCase['expect']['reason']>) =>
  ({ status: 'failed', reason, debits: 0, events: ['failed'] }) as const

/** Decided after 25 seconds. */
export const SLOW_PAYER = '97000009'
