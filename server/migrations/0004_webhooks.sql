-- Telling merchants: where to, what is owed to each place, and every attempt that was made.

-- Secrets are sealed under a key of the installation: this table alone lets nobody speak in our name.
create table webhook_endpoints (
  account_id                text   not null references accounts (account_id),
  endpoint_id               text   not null,
  url                       text   not null,
  -- The events it wants, with commas between.
  events                    text   not null,
  -- `gone` is off too: the receiver answered 410, and nobody asked for it.
  status                    text   not null check (status in ('on', 'off', 'gone')),
  secret_hash               text   not null,
  old_secret_hash           text,
  old_secret_hash_until     bigint,
  signing_secret            text   not null,
  old_signing_secret        text,
  old_signing_secret_until  bigint,
  created_at                bigint not null,
  -- Since when what is owed to it has been given up; null once something arrives again.
  failing_since             bigint,
  -- An endpoint is a lane that one process works at a time: when there is something to do, and until when it is somebody's.
  due_at                    bigint,
  claimed_until             bigint,
  primary key (account_id, endpoint_id)
);

create index webhook_endpoints_due on webhook_endpoints (due_at) where due_at is not null;

-- What is owed to an endpoint: one row for each event it wants, written in the commit of the event, and one for each replay.
create table webhook_deliveries (
  account_id   text   not null,
  endpoint_id  text   not null,
  -- The event's, in the account's feed.
  sequence     bigint not null,
  -- 0 for the event itself, then one for each time it is sent again by hand.
  round        bigint not null,
  -- 1 for a replay, else 0: replays have a queue of their own and starve nobody.
  is_replay    bigint not null,
  -- The payment it tells of: what is owed about one payment arrives in its order.
  number       bigint not null,
  status       text   not null check (status in ('waiting', 'delivered', 'failed')),
  attempts     bigint not null default 0,
  created_at   bigint not null,
  -- Null once there is nothing left to do.
  due_at       bigint,
  ended_at     bigint,
  primary key (account_id, endpoint_id, sequence, round)
);

create index webhook_deliveries_due on webhook_deliveries (account_id, endpoint_id, is_replay, due_at, sequence)
  where due_at is not null;
create index webhook_deliveries_order on webhook_deliveries (account_id, endpoint_id, number, sequence)
  where status = 'waiting';
-- What a person looks for: the failed ones, and the latest.
create index webhook_deliveries_latest on webhook_deliveries (account_id, created_at);

create table webhook_attempts (
  account_id   text   not null,
  endpoint_id  text   not null,
  sequence     bigint not null,
  round        bigint not null,
  attempt      bigint not null,
  at           bigint not null,
  duration_ms  bigint not null,
  status_code  bigint,
  answer       text   not null,
  error        text,
  next_at      bigint,
  primary key (account_id, endpoint_id, sequence, round, attempt)
);

-- What was sent again by hand, in order, for whoever follows the feed.
create table event_replays (
  account_id text   not null,
  replay     bigint not null,
  sequence   bigint not null,
  at         bigint not null,
  primary key (account_id, replay)
);
alter table event_feeds add column last_replay bigint not null default 0;

-- A payment's events, for sending them again.
create index events_of_payment on events (account_id, number);
