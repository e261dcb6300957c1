-- Works with servers that know 0002_search.

-- What was in a wallet before its first statement.
create index ledger_entries_opening on ledger_entries (account_id, connection, day) where kind = 'opening';

-- 1: the opening balance of the connection's wallet is to be computed again.
alter table statement_sources add column opening_due bigint not null default 0;
-- Earlier versions booked none.
update statement_sources set opening_due = 1;
