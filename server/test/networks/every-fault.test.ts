// A slow file: the documented faults on SQLite that faults.test.ts leaves out, and on PostgreSQL
// those that write something else.
import { POSTGRES, SQLITE } from '../kit/stores.ts'
import { faultTests } from './fault-tests.ts'
import { emptyBooksTests, lostAnswerTests } from './lost-answer-tests.ts'

faultTests(SQLITE, 'the other rows')
faultTests(POSTGRES, 'each outcome')
lostAnswerTests(POSTGRES)
emptyBooksTests(POSTGRES)
