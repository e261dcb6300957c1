-- Works with servers that know 0002_search.

-- A person takes an import back: when that began, who asked for it and why, and when the last line was gone. Its `state` is `importing` meanwhile
-- and afterwards, so that no server counts its days. Null once the file is imported again.
alter table statement_files add column take_back_begun_at bigint;
alter table statement_files add column take_back_ended_at bigint;
alter table statement_files add column take_back_by text;
alter table statement_files add column take_back_note text;

-- Lines that count no more. Their entries, and the entries that reverse these, have their numbers. Who paid stands in the kept file alone.
create table taken_back_lines (
  environment       text   not null,
  connection        text   not null,
  line_number       bigint not null,
  file_id           text   not null,
  row_number        bigint not null,
  booked_at         bigint not null,
  day               bigint not null,
  type              text   not null,
  amount_xof        bigint not null,
  fee_xof           bigint not null,
  tax_xof           bigint not null,
  network_reference text   not null,
  our_reference     text   not null,
  account_id        text,
  number            bigint,
  refund_reference  text,
  taken_back_at     bigint not null,
  primary key (environment, connection, line_number)
);

-- Payments and refunds that a connection's statements do not show.
create index book_exceptions_missing on book_exceptions (environment, connection, exception_id)
  where line_number is null and resolved_at is null;
