-- Payment links: a payment that waits for somebody to open a page and pay (D-22), and each try to pay it.

-- While an attempt on a link is under way, and after it succeeded: what the operator knows it by. Null for a payment made by the API, which
-- is asked for once and under its own reference.
alter table payments add column attempt_reference text;
-- When the payer began that attempt.
alter table payments add column attempt_at bigint;

create table payment_links (
  account_id     text   not null,
  -- The payment's.
  number         bigint not null,
  -- Known to whoever has the link, and to nobody else (D-23).
  reference      text   not null unique,
  title          text   not null,
  description    text,
  on_success_url text,
  on_failed_url  text,
  -- The site that made it with a public key, and that may show it in a frame.
  origin         text,
  created_at     bigint not null,
  expires_at     bigint,
  -- When somebody must see whether it has expired; null once it is closed, or never expires.
  due_at         bigint,
  primary key (account_id, number)
);

create index payment_links_due on payment_links (due_at) where due_at is not null;

create table payment_attempts (
  account_id     text   not null,
  number         bigint not null,
  attempt        bigint not null,
  reference      text   not null unique,
  method         text   not null check (method in ('mobile', 'bank_card', 'wallet')),
  operator       text   not null,
  msisdn_written text,
  -- Where the payer goes to pay, for a method that has a page of its own.
  provider_url   text,
  status         text   not null check (status in ('pending', 'succeeded', 'failed')),
  failure_reason text,
  created_at     bigint not null,
  ended_at       bigint,
  primary key (account_id, number, attempt)
);

-- What an account offers on its links, and the sites that may make one with its public key: words with commas between.
alter table accounts add column link_methods text not null default 'mobile,bank_card,wallet';
alter table accounts add column origins text not null default '';

-- The simulated card and wallet provider's own books.
create table simulated_sessions (
  reference    text   not null primary key,
  method       text   not null,
  amount_xof   bigint not null,
  merchant     text   not null,
  title        text   not null,
  return_url   text   not null,
  requested_at bigint not null,
  -- What the payer decided on the provider's page; null until then.
  decision     text
);
