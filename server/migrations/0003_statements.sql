-- Statements of networks, and what does not agree with the ledger (ADR-0019).

-- A file, or a part that was fetched from the network's API.
create table statement_files (
  file_id     text   not null primary key,
  environment text   not null,
  connection  text   not null,
  -- Of its bytes: the same file is imported once.
  sha256      text   not null,
  name        text   not null,
  bytes       bigint not null,
  -- `importing` until every line is there: an import that was cut off continues when the file is imported again.
  state       text   not null check (state in ('importing', 'imported')),
  lines       bigint not null,
  -- Lines that no earlier file had.
  added       bigint not null default 0,
  -- Null where the file has no balance.
  opening_xof bigint,
  closing_xof bigint,
  first_day   bigint not null,
  last_day    bigint not null,
  imported_at bigint not null,
  imported_by text   not null,
  unique (environment, connection, sha256)
);

-- A transaction that imports lines locks its row, so that one import at a time decides which line is the first.
create table statement_sources (
  environment text   not null,
  connection  text   not null,
  -- The number of the last line.
  last_line   bigint not null default 0,
  primary key (environment, connection)
);

-- How the files of a connection write their lines, where a person chose the columns (domain/statement.ts), as JSON.
create table statement_mappings (
  environment text   not null,
  connection  text   not null,
  mapping     text   not null,
  set_by      text   not null,
  set_at      bigint not null,
  primary key (environment, connection)
);

create table statement_lines (
  environment       text   not null,
  connection        text   not null,
  line_number       bigint not null,
  file_id           text   not null,
  -- The row of the file.
  row_number        bigint not null,
  -- A hash of what the line says, and which of several equal lines of its file it is: so a line of two files is one.
  identity          text   not null,
  booked_at         bigint not null,
  day               bigint not null,
  type              text   not null,
  amount_xof        bigint not null,
  fee_xof           bigint not null,
  tax_xof           bigint not null,
  balance_xof       bigint,
  network_reference text   not null,
  our_reference     text   not null,
  counterparty      text   not null,
  text              text   not null,
  -- What it is about; null until that is known.
  account_id        text,
  number            bigint,
  refund_reference  text,
  -- 1 once it is booked as the payment, refund or movement that it names.
  is_matched        bigint not null,
  primary key (environment, connection, line_number),
  unique (environment, connection, identity)
);
-- The lines of a payment.
create index statement_lines_payment on statement_lines (account_id, number) where number is not null;

-- Up to which entry of each account the payments and refunds of a connection were compared with its statements.
create table statement_checks (
  environment   text   not null,
  connection    text   not null,
  account_id    text   not null,
  checked_entry bigint not null,
  primary key (environment, connection, account_id)
);

-- What a person must look at, each with one next step.
create table book_exceptions (
  -- Derived from what it is about: the same exception has the same id however often it is found.
  exception_id text   not null primary key,
  environment  text   not null,
  connection   text   not null,
  kind         text   not null,
  -- Null for a line of a shared connection that names no payment of ours.
  account_id   text,
  number       bigint,
  line_number  bigint,
  amount_xof   bigint not null,
  detail       text   not null,
  at           bigint not null,
  -- Null until a person has closed it, or a later line has explained it.
  resolved_at  bigint,
  resolved_by  text,
  note         text
);
create index book_exceptions_open on book_exceptions (at, exception_id) where resolved_at is null;
create index book_exceptions_account on book_exceptions (account_id, at) where account_id is not null;
-- Closed by a later line of the same payment.
create index book_exceptions_payment on book_exceptions (account_id, number) where resolved_at is null;
