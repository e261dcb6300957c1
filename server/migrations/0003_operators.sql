-- From pending to the truth: what operators said, what moved, what must be told, and what a person must look at.

alter table payments add column operator_reference text;
-- How often the operator was asked since the hand-over: decides when to ask next.
alter table payments add column asked_times bigint not null default 0;

-- The story of a payment: every exchange with its operator and every move, in order. Keyed by the payment's number, which
-- grows, and not by its reference, which is random: so the rows of busy payments share pages.
create table payment_story (
  account_id text   not null,
  number     bigint not null,
  entry      bigint not null,
  at         bigint not null,
  kind       text   not null,
  detail     text   not null,
  primary key (account_id, number, entry)
);

-- One row for each thing a merchant must be told, written in the commit of the move it tells of (D-26).
create table events (
  account_id text   not null,
  -- Counts up by one within the account, without a gap.
  sequence   bigint not null,
  event_id   text   not null unique,
  event      text   not null,
  number     bigint not null,
  payload    text   not null,
  created_at bigint not null,
  primary key (account_id, sequence)
);

create table event_feeds (
  account_id    text   not null primary key,
  last_sequence bigint not null
);

-- What no rule can decide: a success after a failure, an amount that is not the one we asked for.
create table anomalies (
  account_id text   not null,
  number     bigint not null,
  kind       text   not null,
  detail     text   not null,
  at         bigint not null,
  -- The same anomaly is told once, however often the operator repeats it.
  primary key (account_id, number, kind)
);

create table refunds (
  account_id       text   not null,
  number           bigint not null,
  refund_reference text   not null unique,
  status           text   not null check (status in ('pending', 'succeeded', 'failed')),
  failure_reason   text,
  requested_by     text   not null,
  created_at       bigint not null,
  asked_times      bigint not null default 0,
  due_at           bigint,
  primary key (account_id, number, refund_reference)
);

-- At most one refund that has not failed, for each payment.
create unique index refunds_one on refunds (account_id, number) where status <> 'failed';
create index refunds_due on refunds (due_at) where due_at is not null;

-- Who did what by hand.
create table audit_log (
  entry    bigint not null primary key,
  at       bigint not null,
  actor    text   not null,
  action   text   not null,
  subject  text   not null,
  detail   text   not null
);

-- The books of the simulated network: no part of the service's own, and empty where real operators are connected.
create table simulated_payments (
  reference    text   not null primary key,
  msisdn       text   not null,
  amount_xof   bigint not null,
  requested_at bigint not null,
  -- How often the request came: more than once is somebody's mistake, and the network's own count shows it.
  requests     bigint not null default 1
);

create table simulated_refunds (
  refund_reference text   not null primary key,
  reference        text   not null unique,
  amount_xof       bigint not null,
  requested_at     bigint not null
);
