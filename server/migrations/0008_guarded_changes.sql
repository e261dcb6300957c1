-- Works with servers that know 0002_search.

-- What the second person relies on, as it was when the approval was requested (JSON). Null for requests of older servers.
alter table approvals add column asked_state text;

-- Changes of where a merchant's money goes: new connections, new credentials, a new PI-SPI alias. With several owners a change waits for
-- a second one.
create table money_changes (
  account_id  text   not null,
  change_id   text   not null,
  kind        text   not null check (kind in ('connection', 'credentials', 'pi_alias')),
  -- The connection, or the merchant whose alias it is.
  subject     text   not null,
  -- What it changes, as JSON without a secret.
  detail      text   not null,
  -- Sealed, and only while the change waits.
  credentials text,
  asked_by    text   not null,
  asked_at    bigint not null,
  -- Then it ends without effect.
  ends_at     bigint not null,
  state       text   not null check (state in ('waiting', 'done', 'rejected', 'replaced', 'expired')),
  decided_by  text,
  decided_at  bigint,
  primary key (account_id, change_id)
);
create unique index money_changes_waiting on money_changes (account_id, subject) where state = 'waiting';
create index money_changes_ending on money_changes (ends_at) where state = 'waiting';

-- Secrets of the sandbox, readable until a person says that they have them. A live secret is never here.
create table kept_secrets (
  account_id text   not null,
  -- An API key or a webhook endpoint.
  subject    text   not null,
  -- Sealed under the master key. Null for an endpoint, which has its secret itself.
  secret     text,
  made_at    bigint not null,
  primary key (account_id, subject)
);
