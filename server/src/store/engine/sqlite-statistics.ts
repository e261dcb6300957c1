// The statistics by which SQLite chooses its indexes: fixed, written with the migrations, and the
// same in every store. Without statistics SQLite takes ten rows for each account, and then reads a
// whole account in the wanted order instead of one payment by its index: the page of one payment
// took 271 ms of CPU in an account with 315,000 events. `analyze` would give a new store the
// statistics of an empty one, and any store other plans from one day to the next.

/**
 * These stay small while payments are added, and an account has a few of them. Every other table
 * grows.
 */
export const SMALL_TABLES = [
  'accounts',
  'api_keys',
  'archives',
  'connection_health',
  'connection_journals',
  'connection_pauses',
  'connection_refusals',
  'counters',
  'emails_off',
  'event_feeds',
  'feed_starts',
  'journal_accounts',
  'kept_files',
  'kept_secrets',
  'ledger_heads',
  'merchant_connections',
  'merchant_people',
  'merchant_profiles',
  'merchants',
  'migrations',
  'money_changes',
  'password_resets',
  'payment_summaries',
  'people',
  'posters',
  'receipt_keys',
  'retired_hashing_keys',
  'service_facts',
  'statement_checks',
  'statement_fetches',
  'statement_files',
  'statement_mappings',
  'statement_readers',
  'statement_sources',
  'tariffs',
  'task_holders',
  'webhook_endpoints',
  'webhook_subscriptions',
] as const

/**
 * One value of these has a large part of a table’s rows, or of an account’s. So has one of an
 * expression.
 */
export const FEW_VALUES = [
  'account_id',
  'connection',
  'endpoint_id',
  'environment',
  'event',
  'is_replay',
  'kind',
  'operator',
  'state',
  'status',
  'type',
] as const

const ROWS = { small: 1_000, large: 1_000_000 }
/** Of a partial index: usually it has only the rows with something left to do. */
const PARTIAL_SHARE = 10
/** Of a large index, the rows of one account, of one connection … */
const COMMON_SHARE = 20
/** The rows with one value of any other column, such as a payment’s number. */
const ROWS_OF_ONE = 4

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ')

/**
 * For each index its rows, then how many of them have the same first column, the same first two
 * columns … `analyze sqlite_schema` makes the table and reads no row of ours. `noskipscan`: an
 * index is not used behind its first column.
 */
export const WRITE_STATISTICS = `
  analyze sqlite_schema;
  delete from sqlite_stat1;
  insert into sqlite_stat1 (tbl, idx, stat)
    with indexes as (
      select t.name as tbl, i.name as idx, i."unique" as is_unique,
        case when t.name in (${quoted(SMALL_TABLES)}) then ${ROWS.small} else ${ROWS.large} end
          / case when i.partial then ${PARTIAL_SHARE} else 1 end as row_count
      from sqlite_schema t join pragma_index_list(t.name) i
      where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'
    ), counted as (
      select x.*, c.seqno,
        count(*) over (partition by x.idx) as columns,
        sum(case when coalesce(c.name in (${quoted(FEW_VALUES)}), true) then 0 else 1 end)
          over (partition by x.idx order by c.seqno) as selective
      from indexes x join pragma_index_info(x.idx) c
    )
    select tbl, idx, row_count || ' ' || group_concat(
      case when is_unique and seqno = columns - 1 then 1
        when selective > 0 or row_count <= ${ROWS.small} then ${ROWS_OF_ONE}
        else row_count / ${COMMON_SHARE} end, ' ' order by seqno) || ' noskipscan'
    from counted group by tbl, idx, row_count;
  analyze sqlite_schema;
`
