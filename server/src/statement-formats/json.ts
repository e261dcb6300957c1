// A statement as JSON, in the form of the merchant API.
import type { AccountStatement } from '../domain/account-statement.ts'
import { statementHead, statementMovement } from '../wire/books.ts'
import { chunksOf } from './chunks.ts'

export async function* jsonStatement(statement: AccountStatement): AsyncGenerator<string> {
  yield `${JSON.stringify(statementHead(statement)).slice(0, -1)},"movements":[`
  yield* chunksOf(statement.rows, (row, place) => `${place === 0 ? '' : ','}${JSON.stringify(statementMovement(row))}`)
  yield ']}'
}
