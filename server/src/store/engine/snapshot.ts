// A store as it is at one moment, read while servers write to it. While a snapshot is open,
// SQLite's write-ahead log cannot shrink, and PostgreSQL cannot remove old row versions.
import { backup } from 'node:sqlite'
import type { Reads } from './database.ts'
import { connectToPrimary } from './postgres-pool.ts'
import { PostgresStatements } from './postgres-statements.ts'
import { connect } from './sqlite-connection.ts'

/** Pages of 4 KiB that are copied in one step. */
const PAGES_AT_ONCE = 2_000

export function openSqliteSnapshot(file: string) {
  const { database, statement } = connect(file)
  database.exec('begin')
  // The first read decides the moment.
  statement('select count(*) as tables from sqlite_schema').get()
  return {
    read: async <Row>(sql: string, values?: Parameters<Reads['read']>[1]) =>
      statement(sql).all(values) as Row[],
    /**
     * A copy of the file as the snapshot sees it: SQLite copies in the transaction of this
     * connection.
     */
    copyTo: (to: string) => backup(database, to, { rate: PAGES_AT_ONCE }),
    close: async (): Promise<void> => {
      database.exec('rollback')
      database.close()
    },
  }
}

export async function openPostgresSnapshot(url: string) {
  const { client, address } = await connectToPrimary(url)
  // The session waits for pg_dump without a statement, and then reads whole tables.
  await client.query(`begin isolation level repeatable read read only;
    set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`)
  const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id')
  return {
    /** The name by which pg_dump reads the same moment. */
    id: rows[0]?.id as string,
    /** Of the server that has it: one of several hosts. */
    address,
    // By text, not by name: a plan is made for these values.
    read: new PostgresStatements().queries(({ text, values = [] }) => client.query(text, values))
      .read,
    close: () => client.end(),
  }
}
