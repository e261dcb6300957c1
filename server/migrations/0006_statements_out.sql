-- Works with servers that know 0003_statements.
-- Settlements, and the statements that merchants get each morning.

-- The lines of a connection by time: what a settlement holds is what came since the one before.
create index statement_lines_time on statement_lines (environment, connection, booked_at, line_number);
-- An account's settlements, the newest first.
create index statement_lines_settlements on statement_lines (account_id, booked_at, line_number) where type = 'settlement';

-- That the merchant's bank has the money of a settlement: once for each line.
create table settlement_receipts (
  environment  text   not null,
  connection   text   not null,
  line_number  bigint not null,
  account_id   text   not null,
  received_xof bigint not null check (received_xof > 0),
  -- When the bank credited it: days since 1970.
  received_day bigint not null,
  confirmed_at bigint not null,
  confirmed_by text   not null,
  primary key (environment, connection, line_number)
);

-- The account numbers of a merchant's SYSCOHADA journal, as JSON; without a row the defaults.
create table journal_accounts (
  account_id text   not null primary key,
  numbers    text   not null,
  set_by     text   not null,
  set_at     bigint not null
);

-- Which statements were announced: each once, in the commit of its event and its emails.
create table ready_statements (
  account_id text   not null,
  period     text   not null check (period in ('day', 'month')),
  first_day  bigint not null,
  ready_at   bigint not null,
  primary key (account_id, period, first_day)
);

-- Who gets which statements of an account by email.
create table statement_readers (
  account_id text   not null,
  person_id  text   not null,
  daily      bigint not null,
  monthly    bigint not null,
  primary key (account_id, person_id)
);
