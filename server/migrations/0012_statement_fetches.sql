-- Works with servers that know 0007_matching.
-- Statements that are fetched from the networks that offer them: a row for each day of a connection.
create table statement_fetches (
  environment   text   not null,
  connection    text   not null,
  -- In Niamey and Porto-Novo: days since 1970.
  day           bigint not null,
  -- `failed` after the last try: only a person has it tried again.
  state         text   not null check (state in ('waiting', 'fetched', 'failed')),
  -- The network's id of the statement that it was asked for; null before, and once that one cannot be used.
  request_id    text,
  requested_at  bigint,
  -- Failures in a row.
  failures      bigint not null default 0,
  -- When it is tried next; null where nothing is left to do.
  due_at        bigint,
  -- Until when one process works on it. It ends with that process.
  claimed_until bigint not null default 0,
  -- The last success, and the last failure; a success removes the failure.
  fetched_at    bigint,
  failed_at     bigint,
  fault         text,
  why           text,
  primary key (environment, connection, day)
);
create index statement_fetches_due on statement_fetches (due_at) where due_at is not null;
