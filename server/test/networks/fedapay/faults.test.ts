// How the network fails in the field, row by row, with the whole service on both stores.
import { testFaults } from '../test-faults.ts'
import { FEDAPAY_FAULTS, FEDAPAY_UNDER_TEST } from './faults.ts'

testFaults(FEDAPAY_UNDER_TEST, FEDAPAY_FAULTS)
