// The networks that there is a connector and a simulator for, each with the faults that it has in the field.
import type { FaultCase } from './fault-case.ts'
import type { NetworkUnderTest } from './network-under-test.ts'

export const NETWORKS: readonly { underTest: NetworkUnderTest; cases: readonly FaultCase[] }[] = []
