// The SQL texts that query files share: columns, simple statements, padded lists, and the account
// as a condition.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVERY_ACCOUNT } from '../domain/people/caller.ts'
import type { Queries, Values } from './engine/database.ts'
import {
  type Columns,
  columnsOf,
  deleteRows,
  inScope,
  insertNew,
  ofTable,
  padded,
  putRow,
  scopeValues,
  updateRows,
} from './rows.ts'

type Row = { accountId: string; status: string; msisdn: string }

describe('columns', () => {
  it('columns: each field is selected under its name', () => {
    const sql = columnsOf<Row>({
      status: 'p.status',
      accountId: 'a.account_id',
      msisdn: "coalesce(p.msisdn, '')",
    })
    assert.equal(
      sql,
      `p.status as "status", a.account_id as "accountId", coalesce(p.msisdn, '') as "msisdn"`,
    )
  })

  it('columns: shared ones are read under the alias of their table', () => {
    const shared = { status: 'status', msisdn: 'msisdn' }
    assert.deepEqual(ofTable('p', shared), { status: 'p.status', msisdn: 'p.msisdn' })
  })

  it('columns: a row without one of its columns does not compile', () => {
    // @ts-expect-error: msisdn is missing.
    const columns: Columns<Row> = { status: 'p.status', accountId: 'p.account_id' }
    // @ts-expect-error: the row has no amount.
    const more: Columns<Pick<Row, 'status'>> = { status: 'p.status', amount: 'p.amount_xof' }
    assert.equal(columns.status, more.status)
  })
})

const ROW = { accountId: 'acc_1', number: 7 }
const STATEMENTS: [
  about: string,
  build: (tx: Queries) => Promise<unknown>,
  sql: string,
  values: Values,
][] = [
  [
    'an insert has each field in its column',
    (tx) => insertNew(tx, 'orders', ROW),
    'insert into orders (account_id, number) values (:accountId, :number) on conflict do nothing',
    { accountId: 'acc_1', number: 7 },
  ],
  [
    'an update sets its fields where the keys match',
    (tx) => updateRows(tx, 'orders', ROW, { dueAt: null, polls: 2 }, 'polls < :polls'),
    `update orders set due_at = :dueAt, polls = :polls
     where account_id = :keyAccountId and number = :keyNumber and polls < :polls`,
    { dueAt: null, polls: 2, keyAccountId: 'acc_1', keyNumber: 7 },
  ],
  [
    'a delete names its keys',
    (tx) => deleteRows(tx, 'orders', ROW),
    'delete from orders where account_id = :accountId and number = :number',
    { accountId: 'acc_1', number: 7 },
  ],
  [
    'an upsert keeps the fields that an update leaves',
    (tx) => putRow(tx, 'orders', ROW, { dueAt: 5 }, { createdAt: 4 }),
    `insert into orders (account_id, number, created_at, due_at)
     values (:accountId, :number, :createdAt, :dueAt)` +
      ' on conflict (account_id, number) do update set due_at = excluded.due_at',
    { accountId: 'acc_1', number: 7, createdAt: 4, dueAt: 5 },
  ],
]
const onOneLine = (text: string): string => text.replace(/\s+/g, ' ')

for (const [about, build, sql, values] of STATEMENTS) {
  it(`rows: ${about}`, async () => {
    const sent: unknown[] = []
    const change = async (text: string, given?: Values) => sent.push([onOneLine(text), given])
    await build({ change, read: async () => [], write: async () => [] })
    assert.deepEqual(sent, [[onOneLine(sql), values]])
  })
}

describe('the scope of one account', () => {
  const scope = { accountId: 'acc_1' }

  it('scope: is a condition that names its value', () => {
    assert.equal(inScope(scope), ' and account_id = :scopeAccount')
    assert.deepEqual(scopeValues(scope), { scopeAccount: 'acc_1' })
  })

  it('scope: names the table where several are joined', () => {
    assert.equal(inScope(scope, 'd.account_id'), ' and d.account_id = :scopeAccount')
  })
})

it('scope: of all accounts adds no condition and no value', () => {
  assert.equal(inScope(EVERY_ACCOUNT), '')
  assert.deepEqual(scopeValues(EVERY_ACCOUNT), {})
})

const LISTS: [items: string, padded: string][] = [
  ['', ''],
  ['1', '1'],
  ['12', '12'],
  ['123', '1233'],
  ['12345', '12345555'],
]
for (const [items, expected] of LISTS) {
  it(`padded lists: [${[...items]}] becomes [${[...expected]}]`, () =>
    assert.deepEqual(padded([...items]), [...expected]))
}

it('padded lists: a thousand lengths become eleven', () => {
  const lengths = Array.from({ length: 1_000 }, (_, at) => padded(Array(at + 1).fill('')).length)
  assert.equal(new Set(lengths).size, 11)
})

it('padded lists: a given filler is used instead of the last element', () =>
  assert.deepEqual(padded([1, 2, 3], 0), [1, 2, 3, 0]))
