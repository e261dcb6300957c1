// Rows in the books that the samples of the API reference and of the Postman collection ask for.
import { daysOfMonth } from '../../src/domain/countries/business-day.ts'
import { insertEntries } from '../../src/store/books/entries.ts'
import { insertRow } from '../../src/store/rows.ts'
import type { TestService } from '../kit/service.ts'

type Db = TestService['db']

/** The settlement of the samples. */
export const addSettlement = (db: Db, accountId: string): Promise<unknown> =>
  insertRow(db, 'statement_lines', {
    environment: 'sandbox',
    connection: 'mtn-benin',
    lineNumber: 412,
    accountId,
    fileId: 'stm_1',
    rowNumber: 1,
    identity: 'sample',
    bookedAt: 1,
    day: 0,
    type: 'settlement',
    amountXof: -250_000,
    feeXof: 0,
    taxXof: 0,
    networkReference: '',
    ourReference: '',
    counterparty: '',
    text: '',
    isMatched: 1,
  })

/** In the month of the samples. */
export const addMovement = (db: Db, accountId: string): Promise<unknown> =>
  db.transaction((tx) =>
    insertEntries(tx, [
      {
        accountId,
        connection: 'mtn-benin',
        bookedAt: 1,
        day: daysOfMonth('2026-10').firstDay,
        kind: 'payment',
        debit: 'receivable',
        credit: 'sales',
        amountXof: 1_000,
        number: null,
        refundReference: null,
        lineNumber: null,
        madeBy: 'tester',
      },
    ]),
  )
