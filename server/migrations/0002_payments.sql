-- A payment, from its recording to its last word. Its due time is a column, so this table is also the worker's queue.
--
-- No foreign key to accounts: the account comes from the key that was just checked, accounts are never deleted, and on
-- PostgreSQL the check would lock the account's row for every create.
create table payments (
  account_id         text   not null,
  environment        text   not null check (environment in ('sandbox', 'live')),
  -- Counts up in blocks: the order in which a merchant's payments are listed, and the source of public_reference.
  number             bigint not null,
  reference          text   not null,
  public_reference   text   not null,
  external_reference text   not null,
  status             text   not null check (status in ('initiated', 'pending', 'succeeded', 'failed', 'refunded')),
  amount_xof         bigint not null check (amount_xof > 0),
  country            text   not null,
  -- As the merchant wrote it, and as the operator needs it.
  msisdn_written     text,
  msisdn             text,
  operator           text,
  customer_name      text,
  failure_reason     text,
  created_at         bigint not null,
  handed_over_at     bigint,
  validated_at       bigint,
  -- When somebody must look at it next; null once there is nothing left to do.
  due_at             bigint,
  primary key (account_id, number),
  -- Alone, not behind the account: an operator's callback knows this name and no account.
  unique (reference),
  -- D-16: one payment for each transaction_id of an account, for ever.
  unique (account_id, external_reference)
);

create index payments_due on payments (due_at) where due_at is not null;
