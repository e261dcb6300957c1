// Each outcome of a documented fault at each network, on SQLite.
import { SQLITE } from '../kit/stores.ts'
import { faultTests } from './fault-tests.ts'

faultTests(SQLITE, 'each outcome of a network')
