// Lost answers of every network, and networks that restart with empty books, on SQLite.
import { SQLITE } from '../kit/stores.ts'
import { emptyBooksTests, lostAnswerTests } from './lost-answer-tests.ts'

lostAnswerTests(SQLITE)
emptyBooksTests(SQLITE)
