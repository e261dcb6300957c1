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

-- Who a merchant is: for payers, and for those who validate it. The same in both environments.
create table merchant_profiles (
  merchant_id         text   not null primary key,
  -- What payers see; null for the merchant's name and the service's own look.
  brand_name          text,
  colour              text,
  phone               text,
  -- In base64, with the hash that its address is made of.
  logo                text,
  logo_type           text,
  logo_hash           text,
  legal_name          text   not null default '',
  registration        text   not null default '',
  country             text   not null default '',
  city                text   not null default '',
  address             text   not null default '',
  contact             text   not null default '',
  validation_asked_at bigint
);
create index merchant_profiles_logo on merchant_profiles (logo_hash) where logo_hash is not null;

-- What a merchant shows to be validated. Each is sealed under a key of its own, and that key under the master key.
create table merchant_documents (
  merchant_id text   not null,
  document_id text   not null,
  name        text   not null,
  type        text   not null,
  bytes       bigint not null,
  content_key text   not null,
  uploaded_at bigint not null,
  uploaded_by text   not null,
  primary key (merchant_id, document_id)
);

create table document_chunks (
  document_id text   not null,
  chunk       bigint not null,
  content     text   not null,
  primary key (document_id, chunk)
);

-- What a key is called and may do, and from where.
alter table api_keys add column name text;
-- Words with commas between; null for everything.
alter table api_keys add column permissions text;
-- Addresses and networks with commas between; null for all.
alter table api_keys add column networks text;
-- To a minute.
alter table api_keys add column last_used_at bigint;

-- What merchants' servers asked of the API lately, for their developers: no bodies, and no more a second than a setting allows.
create table request_log (
  account_id   text   not null,
  at           bigint not null,
  request_id   text   not null,
  method       text   not null,
  -- With the reference of the payment where it is known, never with what a caller wrote.
  path         text   not null,
  status       bigint not null,
  error_code   text,
  key_id       text   not null,
  milliseconds bigint not null,
  primary key (account_id, at, request_id)
);

-- What somebody answered on the sandbox phone, and from when on it holds; null while nobody has.
alter table simulated_payments add column ending text;
alter table simulated_payments add column answered_at bigint;
