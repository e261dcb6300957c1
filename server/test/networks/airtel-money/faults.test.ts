// How the network fails in the field, row by row, with the whole service on both stores.
import { testFaults } from '../test-faults.ts'
import { AIRTEL_FAULTS, AIRTEL_UNDER_TEST } from './faults.ts'

testFaults(AIRTEL_UNDER_TEST, AIRTEL_FAULTS)
