// What the query files share of their SQL text: columns under the names that the code uses, inserts, and the account as
// part of a statement.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVERY_ACCOUNT } from '../domain/caller.ts'
import { inScope, scopeValues } from './engine/scope.ts'
import { columnsOf, insertNew } from './rows.ts'

type Row = { accountId: string; status: string; msisdn: string }

describe('columns', () => {
  it('columns: each field is selected from its column, of the table or of its own', () => {
    const sql = columnsOf<Row>('p')('status a.accountId msisdn')
    assert.equal(sql, 'p.status as "status", a.account_id as "accountId", p.msisdn as "msisdn"')
  })

  it('columns: a table need not be named, and lines may break', () => {
    const sql = columnsOf<Row>()(`status
      accountId msisdn`)
    assert.equal(sql, 'status as "status", account_id as "accountId", msisdn as "msisdn"')
  })

  it('columns: an expression has the name of its field', () => {
    const sql = columnsOf<Pick<Row, 'status' | 'msisdn'>>('p')('status', { msisdn: "coalesce(p.msisdn, '')" })
    assert.equal(sql, `p.status as "status", coalesce(p.msisdn, '') as "msisdn"`)
  })
})

it('insert: each field goes into its column', async () => {
  const sent: unknown[] = []
  const change = async (...statement: unknown[]): Promise<number> => sent.push(statement)
  const tx = { change, rows: async () => [] }
  assert.equal(await insertNew(tx, 'orders', { accountId: 'acc_1', number: 7 }), true)
  assert.deepEqual(sent, [
    ['insert into orders (account_id, number) values ($1, $2) on conflict do nothing', ['acc_1', 7]],
  ])
})

describe('the scope of one account', () => {
  const scope = { accountId: 'acc_1' }

  it('scope: is a condition at the place of its value', () =>
    assert.deepEqual([inScope(scope, 3), scopeValues(scope)], [' and account_id = $3', ['acc_1']]))

  it('scope: names the table where several are joined', () =>
    assert.equal(inScope(scope, 2, 'd.account_id'), ' and d.account_id = $2'))
})

it('scope: of all accounts adds no condition and no value', () =>
  assert.deepEqual([inScope(EVERY_ACCOUNT, 3), scopeValues(EVERY_ACCOUNT)], ['', []]))
