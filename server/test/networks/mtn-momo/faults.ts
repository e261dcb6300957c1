// How MTN MoMo fails in the field, and what must come of it: rows for the driver that runs them with the whole service.

import { mtnMomoNetwork } from '../../../../simulators/src/mtn-momo/network.ts'
import type { ConformanceNetwork, NetworkDeps } from '../../../../simulators/src/network.ts'
import { mtnMomo } from '../../../src/operators/connectors/mtn-momo/connector.ts'
import type { FaultCase } from '../fault-case.ts'
import { ACCESS_FAULTS } from './access-faults.ts'
import { ANSWER_FAULTS } from './answer-faults.ts'
import { optionsFor } from './open-mtn.ts'
import { REQUEST_FAULTS } from './request-faults.ts'

export const MTN_UNDER_TEST = {
  connector: mtnMomo,
  makeNetwork: (deps: NetworkDeps): ConformanceNetwork => mtnMomoNetwork(deps, { platform: 'new' }),
  options: (network: ConformanceNetwork): object => optionsFor(network),
  operator: 'mtn_bj',
  country: 'BJ',
  msisdn: '97000000',
} as const

export const MTN_FAULTS: FaultCase[] = [...REQUEST_FAULTS, ...ACCESS_FAULTS, ...ANSWER_FAULTS]
