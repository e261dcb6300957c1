// How the network fails in the field, row by row, with the whole service on both stores.
import { testFaults } from '../test-faults.ts'
import { PAWAPAY_FAULTS, PAWAPAY_UNDER_TEST } from './faults.ts'

testFaults(PAWAPAY_UNDER_TEST, PAWAPAY_FAULTS)
