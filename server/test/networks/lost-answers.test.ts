import { SQLITE } from '../kit/stores.ts'
import { emptyBooksTests, lostAnswerTests } from './lost-answer-tests.ts'

lostAnswerTests(SQLITE)
emptyBooksTests(SQLITE)
