// The networks that there is a connector and a simulator for, each with the faults that it has in the field.
import { AIRTEL_FAULTS, AIRTEL_UNDER_TEST } from './airtel-money/faults.ts'
import type { FaultCase } from './fault-case.ts'
import { FEDAPAY_FAULTS, FEDAPAY_UNDER_TEST } from './fedapay/faults.ts'
import { MTN_FAULTS, MTN_UNDER_TEST } from './mtn-momo/faults.ts'
import type { NetworkUnderTest } from './network-under-test.ts'
import { PAWAPAY_FAULTS, PAWAPAY_UNDER_TEST } from './pawapay/faults.ts'

export const NETWORKS: readonly { underTest: NetworkUnderTest; cases: readonly FaultCase[] }[] = [
  { underTest: MTN_UNDER_TEST, cases: MTN_FAULTS },
  { underTest: AIRTEL_UNDER_TEST, cases: AIRTEL_FAULTS },
  { underTest: FEDAPAY_UNDER_TEST, cases: FEDAPAY_FAULTS },
  { underTest: PAWAPAY_UNDER_TEST, cases: PAWAPAY_FAULTS },
]
