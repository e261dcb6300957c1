-- Works beside servers that know 0013_master_key_and_privacy.

-- Connections to real networks: which of them took a payment is written before the call, and status and refund go there for ever.

-- Null for a payment whose connection has its operator's name: the simulated network's, and all that were made before this column.
alter table payments add column connection text;
alter table payment_attempts add column connection text;
alter table rechecks add column connection text;

-- Apart by whether it was sent: where a network allows few questions, what waits to be asked about does not stand before what must be sent.
drop index payments_due;
create index payments_due on payments
  (environment, coalesce(connection, operator), (case when handed_over_at is null then 0 else 1 end), account_id, due_at)
  where due_at is not null;

-- Which debit is given back: null for the payment's own; for money that came late, what the operator knows that debit by.
alter table refunds add column request_reference text;
-- The operator's own name of that debit, where it is not the payment's.
alter table refunds add column operator_reference text;
-- Since when a person must make the refund, because the network has no call for it, and why. Null when the network makes it.
alter table refunds add column by_hand_since bigint;
alter table refunds add column by_hand_why text;
-- How a person ended it: who, and what proves it.
alter table refunds add column ended_by text;
alter table refunds add column proof text;

drop index refunds_one;
create unique index refunds_one on refunds (account_id, number, coalesce(request_reference, '')) where status <> 'failed';
create index refunds_by_hand on refunds (by_hand_since) where by_hand_since is not null and status = 'pending';

-- When a person accepted money that came after the payment had failed; its event of the failure is older than that of the success.
alter table payments add column accepted_late_at bigint;

-- Connections that take no new payments until somebody says so.
create table connection_pauses (
  environment text   not null,
  connection  text   not null,
  since       bigint not null,
  reason      text   not null,
  paused_by   text   not null,
  primary key (environment, connection)
);

-- How each connection does, as the process that calls it saw it last: for people who look at it from elsewhere.
create table connection_health (
  environment   text   not null,
  connection    text   not null,
  state         text   not null,
  since         bigint not null,
  -- What the last call failed by; null when it was answered.
  why           text,
  misconfigured bigint not null,
  seen_at       bigint not null,
  primary key (environment, connection)
);
