-- Works with servers that know 0003_statements.
-- Lines that are judged again, balances from file to file, kept files, and one import at a time (ADR-0019).

-- When the line is judged again; null for one that only a person can close.
alter table book_exceptions add column due_at bigint;
create index book_exceptions_due on book_exceptions (due_at) where due_at is not null;

-- Of an exception about a refund; null for one about its payment.
alter table book_exceptions add column refund_reference text;

-- The first and the last movement of the file; null for files of before this migration.
alter table statement_files add column first_at bigint;
alter table statement_files add column last_at bigint;

-- Until when one import has the connection. It ends with the process that took it.
alter table statement_sources add column importing_until bigint not null default 0;

-- Files as they were uploaded: compressed, in parts that are sealed with a key of their own, because they name payers.
create table kept_files (
  kept_id     text   not null primary key,
  environment text   not null,
  connection  text   not null,
  name        text   not null,
  -- Sealed under the master key.
  content_key text   not null,
  -- Null until every part is there.
  sha256      text,
  bytes       bigint not null default 0,
  kept_at     bigint not null,
  kept_by     text   not null
);
create unique index kept_files_content on kept_files (environment, connection, sha256) where sha256 is not null;
create index kept_files_age on kept_files (kept_at);

create table kept_file_parts (
  kept_id text   not null,
  part    bigint not null,
  content text   not null,
  primary key (kept_id, part)
);
