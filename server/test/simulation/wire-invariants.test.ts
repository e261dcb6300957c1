// What is wrong with payments by real networks is found.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BookedPayment } from '../../../simulators/src/network.ts'
import type { Evidence, PaymentRow } from './evidence.ts'
import { FEDAPAY } from './manners/fedapay.ts'
import type { Manner } from './manners/manner.ts'
import { MTN_MOMO } from './manners/mtn-momo.ts'
import { moneyIsAccountedFor, nothingFailedInHaste } from './money-invariants.ts'
import { wireIsKept } from './wire-invariants.ts'
import type { Seen } from './wire-networks.ts'
import type { World } from './world.ts'

const paid: BookedPayment = {
  id: 'network-1',
  clientReference: 'r1',
  msisdn: '2290197112233',
  amountXof: 100,
  status: 'SUCCESSFUL',
  debits: 1,
  refunds: 0,
  requests: 1,
}

const row: PaymentRow = {
  account_id: 'acc',
  number: 1,
  reference: 'r1',
  external_reference: 'o-1',
  status: 'succeeded',
  failure_reason: null,
  amount_xof: 100,
  msisdn: '2290197112233',
  attempt_reference: null,
}

const well: Evidence = {
  ...{ payments: [row], story: [], events: [], refunds: [], attempts: [], links: [], anomalies: [], due: [] },
  ...{ forgotten: [], books: { payments: [], refunds: [] } },
}

const failed: Evidence = { ...well, payments: [{ ...row, status: 'failed' }] }
const refund = { account_id: 'acc', number: 1, refund_reference: 'f1', status: 'succeeded', by_hand_since: null }
const refunded: Evidence = { ...well, payments: [{ ...row, status: 'refunded' }], refunds: [refund] }

function worldOf(change: Partial<BookedPayment> = {}, seen: Partial<Seen> = {}, manner: Manner = MTN_MOMO): World {
  const booked = { ...paid, ...change }
  const nothing: Seen = {
    ...{ repeated: new Map(), refunds: new Map(), failures: new Map() },
    ...{ held: new Set(), denied: new Set(), told: new Set(), calls: 0, callbacks: 0, lost: 0 },
  }
  return {
    wire: {
      all: [{ manner, network: { books: () => [booked] } }],
      seen: { ...nothing, ...seen },
      booked: (reference: string) => (reference === booked.clientReference ? { ...booked, manner } : undefined),
    },
    network: { status: async () => ({ answer: { status: 'not_known' } }), late: new Map(), denied: new Set() },
    lines: { requests: new Map() },
    members: [1, 2],
    counts: { clockChanges: 1 },
  } as unknown as World
}

const wrongWith = async (world: World, evidence: Evidence): Promise<string[]> => [
  ...(await moneyIsAccountedFor(world, evidence)),
  ...(await nothingFailedInHaste(world, evidence)),
  ...wireIsKept(world, evidence),
]

const tookBack = (status: string): Partial<Seen> => ({ failures: new Map([['r1', new Set([status])]]) })

describe('what is wrong on the wire is found', () => {
  const FAULTS: [title: string, world: World, evidence: Evidence][] = [
    ['a payer who was debited twice', worldOf({ debits: 2 }), well],
    [
      'a second debit by a process that was frozen, also without an idempotency key',
      worldOf({ debits: 2 }, { held: new Set(['r1']) }, FEDAPAY),
      well,
    ],
    ['a debit that is in no payment of ours', worldOf({ clientReference: 'r2' }), well],
    ['a success that is no debit', worldOf({ debits: 0, status: 'FAILED' }), well],
    ['a debit that was told as failed', worldOf(), failed],
    ['a debit of which a callback told', worldOf({}, { ...tookBack('FAILED'), told: new Set(['r1']) }), failed],
    [
      'a debit after a failure that may change',
      worldOf({ msisdn: '22966000001' }, tookBack('declined'), FEDAPAY),
      failed,
    ],
    ['a request that was made again', worldOf({}, { repeated: new Map([['r1', 1]]) }), well],
    ['a refund that was requested twice', worldOf({ refunds: 1 }, { refunds: new Map([['f1', 2]]) }), refunded],
    ['money that went back twice', worldOf({ refunds: 2 }), refunded],
    ['a refund that nobody gave', worldOf(), refunded],
    ['a refund that is not recorded', worldOf({ refunds: 1 }), well],
    [
      'a payment said not to be ours',
      worldOf(),
      { ...well, anomalies: [{ ...row, request_reference: 'r1', kind: 'unknown_reference', at: 1 }] },
    ],
  ]
  for (const [title, world, evidence] of FAULTS) {
    it(title, async () => assert.notDeepEqual(await wrongWith(world, evidence), []))
  }

  const WELL: [title: string, world: World, evidence: Evidence][] = [
    ['nothing where all is well', worldOf(), well],
    ['nothing where the money went back', worldOf({ refunds: 1 }), refunded],
    ['not what the network took back without a word', worldOf({}, tookBack('FAILED')), failed],
  ]
  for (const [title, world, evidence] of WELL) {
    it(title, async () => assert.deepEqual(await wrongWith(world, evidence), []))
  }
})
