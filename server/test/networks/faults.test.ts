// Every documented fault of every network, on SQLite.
import { SQLITE } from '../kit/stores.ts'
import { faultTests } from './fault-tests.ts'

faultTests(SQLITE)
