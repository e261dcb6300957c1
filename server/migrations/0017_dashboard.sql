-- Works beside servers that know 0014_connections.

-- What the dashboard of a merchant reads and keeps. Nothing here is written by a create: the worker follows what was recorded (D-100).

-- How far the worker has followed each account.
create table payment_summaries (
  account_id     text   not null primary key,
  -- The last event of the feed that is counted in daily_figures.
  last_sequence  bigint not null default 0,
  -- Up to this number payments are in payment_search; -1 for none.
  indexed_number bigint not null default -1
);

-- Outcomes by the day on which they were recorded, in the time of Niamey and Porto-Novo.
create table daily_figures (
  account_id text   not null,
  -- Days since 1970.
  day        bigint not null,
  -- Empty for a link that was closed before anybody tried to pay it.
  operator   text   not null,
  outcome    text   not null check (outcome in ('succeeded', 'failed', 'refunded')),
  -- Why they failed; empty for others.
  reason     text   not null,
  payments   bigint not null,
  amount_xof bigint not null,
  primary key (account_id, day, operator, outcome, reason)
);

-- What people look for a payment by: the payer's number in full, and the first letters of each word of the name.
create table payment_search (
  account_id text   not null,
  term       text   not null,
  number     bigint not null,
  primary key (account_id, term, number)
);
