// A slow file: what the networks' faults write is the same on both stores, so `npm test` runs them on SQLite only.
import { POSTGRES } from '../kit/stores.ts'
import { faultTests } from './fault-tests.ts'
import { emptyBooksTests, lostAnswerTests } from './lost-answer-tests.ts'

faultTests(POSTGRES)
lostAnswerTests(POSTGRES)
emptyBooksTests(POSTGRES)
