// The four networks, each with its connector and its simulator.
import { SQLITE, STORES, type StoreKind } from '../kit/stores.ts'
import { tries } from '../kit/tries.ts'
import { AIRTEL_UNDER_TEST } from './airtel-money.ts'
import { FEDAPAY_UNDER_TEST } from './fedapay.ts'
import type { NetworkUnderTest } from './harness.ts'
import { MTN_UNDER_TEST } from './mtn-momo.ts'
import { PAWAPAY_UNDER_TEST } from './pawapay.ts'

export const NETWORKS = {
  mtn: MTN_UNDER_TEST,
  airtel: AIRTEL_UNDER_TEST,
  fedapay: FEDAPAY_UNDER_TEST,
  pawapay: PAWAPAY_UNDER_TEST,
} as const satisfies Record<string, NetworkUnderTest>

export type NetworkName = keyof typeof NETWORKS

/** What is written does not depend on the network, but for FedaPay's kept ids and refunds by hand: on PostgreSQL two networks stand for all, except in the long form. */
export const storesFor = (network: NetworkUnderTest): readonly StoreKind[] =>
  tries(0, 1) > 0 || ['mtn-momo', 'fedapay'].includes(network.connector.name) ? STORES : [SQLITE]
