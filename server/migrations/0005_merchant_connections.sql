-- Connections of merchants: an account's own contract with a network (ADR-0020).

create table merchant_connections (
  account_id     text   not null,
  -- Written on each payment that it takes. Permanent, and unique in the installation.
  connection_id  text   not null unique,
  environment    text   not null check (environment in ('live', 'sandbox')),
  connector      text   not null,
  label          text   not null,
  -- The operators that it prompts and the methods of its page, with commas between.
  serves         text   not null,
  -- The options of the connector as JSON, sealed under the master key.
  credentials    text   not null,
  -- When they were last entered.
  credentials_at bigint not null,
  -- A removed one takes no new payments. Status requests and refunds of its payments still use it.
  state          text   not null check (state in ('active', 'suspended', 'removed')),
  created_at     bigint not null,
  created_by     text   not null,
  -- From a counter that each change of any of them takes: processes read the rows after the last number that they have seen.
  version        bigint not null unique,
  primary key (account_id, connection_id)
);
