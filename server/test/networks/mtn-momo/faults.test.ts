// How the network fails in the field, row by row, with the whole service on both stores.
import { testFaults } from '../test-faults.ts'
import { MTN_FAULTS, MTN_UNDER_TEST } from './faults.ts'

testFaults(MTN_UNDER_TEST, MTN_FAULTS)
