// A slow file: every documented fault of every network on SQLite, and on PostgreSQL the faults that write something else.
import { POSTGRES, SQLITE } from '../kit/stores.ts'
import { faultTests } from './fault-tests.ts'
import { emptyBooksTests, lostAnswerTests } from './lost-answer-tests.ts'

faultTests(SQLITE, 'every row')
faultTests(POSTGRES, 'each outcome')
lostAnswerTests(POSTGRES)
emptyBooksTests(POSTGRES)
