-- Works beside servers that know 0014_connections.

-- What a merchant adds to a payment: JSON, null unless it was given. A payment without it costs what it did.
alter table payments add column metadata text;

-- Which payment an order of the merchant's has now. Its row is locked by whatever may give the order another one, so that of any number of
-- attempts at most one is pending and at most one succeeds. Only payments with an order_reference have one.
create table orders (
  account_id      text   not null,
  order_reference text   not null,
  -- The payment's.
  number          bigint not null,
  primary key (account_id, order_reference)
);

-- When a refund succeeded or failed; null until then, and for those that ended before this column.
alter table refunds add column ended_at bigint;

-- A link without an amount: the payer types one of at least this, and may be offered some. Until then the payment's own amount is this one.
alter table payment_links add column minimum_amount_xof bigint;
alter table payment_links add column suggested_amounts text not null default '';

-- Links that live on a poster. Each payer who pays gets a payment with a link of its own, made when they choose how to pay: so a poster is no
-- payment, and servers that do not know it answer that there is no such link, rather than collect from it once.
create table posters (
  account_id         text   not null,
  -- From the same counter as payments: the source of public_reference, and the order in a list.
  number             bigint not null,
  reference          text   not null unique,
  environment        text   not null,
  public_reference   text   not null,
  -- Null when the payer types it.
  amount_xof         bigint,
  minimum_amount_xof bigint,
  suggested_amounts  text   not null default '',
  title              text   not null,
  description        text,
  on_success_url     text,
  on_failed_url      text,
  metadata           text,
  created_at         bigint not null,
  expires_at         bigint,
  -- When its merchant closed it.
  closed_at          bigint,
  -- Counted in the commit of each success, and taken back in that of a refund.
  payments_count     bigint not null default 0,
  collected_xof      bigint not null default 0,
  primary key (account_id, number)
);

-- The poster that a payer came from.
alter table payment_links add column poster_number bigint;
