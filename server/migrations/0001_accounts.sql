-- Who uses the service: merchants, their two accounts, and the keys that open them (D-17, D-18).
-- One text for SQLite and PostgreSQL: text keys, times in milliseconds, no engine's own types.

-- What this database must remember about itself, so that no process has to be told twice.
create table service_facts (
  name  text not null primary key,
  value text not null
);

-- Numbers handed out in blocks: one small update every thousand payments, on one machine or on many.
create table counters (
  name      text   not null primary key,
  next_free bigint not null
);

create table merchants (
  merchant_id text   not null primary key,
  name        text   not null,
  created_at  bigint not null
);

create table accounts (
  account_id  text   not null primary key,
  merchant_id text   not null references merchants (merchant_id),
  environment text   not null check (environment in ('sandbox', 'live')),
  status      text   not null check (status in ('unvalidated', 'validated', 'suspended')),
  created_at  bigint not null,
  unique (merchant_id, environment)
);

-- key_hash is a keyed hash: without the master key of the installation this table opens nothing.
create table api_keys (
  account_id text   not null references accounts (account_id),
  key_id     text   not null,
  kind       text   not null check (kind in ('public', 'secret')),
  key_hash   text   not null unique,
  -- A public key whole; of a secret key only its first characters, to tell it from others.
  shown_as   text   not null,
  created_at bigint not null,
  -- Null while nobody has rolled or revoked it.
  expires_at bigint,
  primary key (account_id, key_id)
);
