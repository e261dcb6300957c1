-- 0001_accounts
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

-- 0002_payments
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

-- 0003_operators
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

-- 0004_webhooks
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

-- 0005_payment_links
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

-- 0006_due_by_operator
-- What is due is looked for operator by operator: a backlog at one must not stand before the payments of another.
drop index payments_due;
create index payments_due on payments (environment, operator, due_at) where due_at is not null;

-- 0007_webhook_subscriptions
-- Which events an endpoint wants: a row for each, where there was a text with commas between that had to be searched.
create table webhook_subscriptions (
  account_id   text not null,
  endpoint_id  text not null,
  event        text not null,
  primary key (account_id, endpoint_id, event),
  foreign key (account_id, endpoint_id) references webhook_endpoints (account_id, endpoint_id) on delete cascade
);

insert into webhook_subscriptions (account_id, endpoint_id, event)
select account_id, endpoint_id, event
from webhook_endpoints
join (
  select 'payment.succeeded' as event
  union all select 'payment.failed'
  union all select 'payment.refunded'
) as known on ',' || events || ',' like '%,' || event || ',%';

-- The list stays in webhook_endpoints while processes of the version before may run beside this one.

-- 0008_lists
-- Lists for people: each is read by an index, so that it costs the same with ten payments and with ten million.

-- What is rare among payments, and so would be looked for through all of them. Not pending or succeeded: those are most, found by
-- walking back from the newest, and an index on them would be written by every create.
create index payments_rare on payments (account_id, status, number)
  where status = 'initiated' or status = 'failed' or status = 'refunded';

create index webhook_deliveries_failed on webhook_deliveries (account_id, created_at) where status = 'failed';

-- Whose account it was done to; null for what concerns no single one, and for what was noted before this column.
alter table audit_log add column account_id text;
create index audit_log_account on audit_log (account_id, entry) where account_id is not null;
create index audit_log_subject on audit_log (subject, entry);

-- 0009_late_money
-- Money that moves late: each debit that contradicts what we recorded has a row of its own, and a failure that we only concluded is checked again.

-- What a person must look at. One row for each request to an operator and kind: a link has several attempts, and each may be debited.
create table payment_anomalies (
  -- Derived from kind, operator and request_reference: the same anomaly has the same name however often it is seen.
  anomaly_id        text   not null primary key,
  -- Null with `unknown_reference`: the operator speaks of a payment that we do not have.
  account_id        text,
  number            bigint,
  environment       text   not null,
  operator          text   not null,
  -- What the operator knows it by: the payment's reference, or that of an attempt on its link.
  request_reference text   not null,
  kind              text   not null,
  detail            text   not null,
  at                bigint not null,
  -- Null until a person has dealt with it.
  resolved_at       bigint,
  resolved_by       text,
  note              text
);

create index payment_anomalies_latest on payment_anomalies (at, anomaly_id);

insert into payment_anomalies (anomaly_id, account_id, number, environment, operator, request_reference, kind, detail, at)
select 'ano_' || a.account_id || '_' || a.number || '_' || a.kind, a.account_id, a.number, p.environment, coalesce(p.operator, ''),
  coalesce(p.attempt_reference, p.reference), a.kind, a.detail, a.at
from anomalies a join payments p on p.account_id = a.account_id and p.number = a.number;

-- The table `anomalies` stays while processes of the version before may run beside this one.

-- Requests that failed as never_received. The operator never said that they failed, so it is asked again, ever more rarely, for three days.
create table rechecks (
  request_reference text   not null primary key,
  environment       text   not null,
  operator          text   not null,
  failed_at         bigint not null,
  due_at            bigint not null
);

create index rechecks_due on rechecks (due_at);

-- How often a payment was claimed to be sent, or a refund to be requested, without word of what came of it. The second time, somebody may
-- have sent it and died before that was recorded: the operator is asked before it is sent again.
alter table payments add column claims bigint not null default 0;
alter table refunds add column claims bigint not null default 0;

-- 0010_clocks_and_turns
-- Works beside servers that know 0009_late_money.

-- When the operator first said that it has the payment. From then on nothing is concluded from its silence, nor from its forgetting it.
alter table payments add column accepted_at bigint;

-- By account, so that the merchants of one operator are served in turn: a merchant with a long backlog does not stand before the others.
drop index payments_due;
create index payments_due on payments (environment, operator, account_id, due_at) where due_at is not null;

-- 0012_public_pages
-- Works beside servers that know 0010_clocks_and_turns.

-- What somebody without a key can do: a page's word claims nothing of the account's, and prompts from pages are limited (D-57, D-60).

-- Who made a link's payment: null for the merchant, `order` for a page with an order that the merchant's server signed, `page` for a page
-- alone. client_reference is what that order or page calls it: not unique, and nothing is found by it.
alter table payments add column created_by text;
alter table payments add column client_reference text;

-- What a server signs orders with: derived from the secret key, sealed. Null for public keys, and for secret keys that were issued before.
alter table api_keys add column order_key text;

-- The number that was prompted, for the limits of D-60. Null when nobody's phone rings: a provider's page, a test number.
alter table payment_attempts add column environment text;
alter table payment_attempts add column msisdn text;
-- The account, when the link was made by a page alone: anybody can make any number of those.
alter table payment_attempts add column page_account text;
-- A hash of what the browser that began the attempt was given: only that browser can abandon it.
alter table payment_attempts add column browser_hash text;

create index payment_attempts_number on payment_attempts (environment, msisdn, created_at) where msisdn is not null;
create index payment_attempts_page on payment_attempts (page_account, created_at) where page_account is not null;

-- A row for each number and account whose limit was ever looked at. A transaction that begins an attempt locks its rows first, so that of two
-- processes that look at the same time one sees what the other did.
create table prompt_guards (
  name text   not null primary key,
  at   bigint not null
);

-- Whether the account's pages work at all, its own words for links that its pages make, and whether the page's words are shown beside them.
alter table accounts add column pages text not null default 'on' check (pages in ('on', 'off'));
alter table accounts add column page_wording text not null default '';
alter table accounts add column page_titles text not null default 'shown' check (page_titles in ('shown', 'hidden'));

-- 0013_master_key_and_privacy
-- Works beside servers that know 0010_clocks_and_turns.

-- API keys are kept as hashes under a key that is derived from the master key, and cannot be hashed anew. When the master key is rotated,
-- the hashing key that was derived from the old one is kept here, sealed under the new one. The newest hashing key is never here.
create table retired_hashing_keys (
  -- Counts up: 1 is the oldest.
  generation  bigint not null primary key,
  hashing_key text   not null,
  retired_at  bigint not null
);

-- For KARBA_KEEP_WEBHOOK_ANSWERS_DAYS: answers that are still there, the oldest first.
create index webhook_attempts_answered on webhook_attempts (account_id, endpoint_id, sequence) where answer <> '';

-- 0014_connections
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

-- 0015_orders_and_posters
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

-- 0016_people
-- Works beside servers that know 0014_connections.

-- People: those who work for merchants, and those who work for the company that runs the service. What they prove themselves with is kept as a
-- hash, or sealed under the master key.
create table people (
  person_id      text   not null primary key,
  -- In lower case.
  email          text   not null unique,
  name           text   not null,
  language       text   not null,
  -- Argon2id, with its parameters and its salt.
  password_hash  text   not null,
  -- For the service's own people; null for a merchant's.
  service_role   text,
  -- 1 while the password is one that somebody else has seen.
  is_first_password bigint not null default 0,
  -- Sealed. It counts once it has been confirmed with a code.
  totp_secret    text,
  totp_since     bigint,
  -- The last step of 30 seconds whose code was used: no code is taken twice.
  totp_step      bigint not null default 0,
  created_at     bigint not null,
  last_seen_at   bigint,
  -- Set when one of the service's people is removed.
  removed_at     bigint
);
create index people_of_service on people (service_role) where service_role is not null;

create table recovery_codes (
  person_id  text   not null,
  code_hash  text   not null,
  used_at    bigint,
  primary key (person_id, code_hash)
);

create table merchant_people (
  merchant_id text   not null,
  person_id   text   not null,
  role        text   not null,
  created_at  bigint not null,
  primary key (merchant_id, person_id)
);
create index merchant_people_person on merchant_people (person_id);

-- Who is signed in, by the hash of what the browser holds.
create table sessions (
  token_hash   text   not null primary key,
  session_id   text   not null unique,
  person_id    text   not null,
  created_at   bigint not null,
  last_seen_at bigint not null,
  -- When it ends, whatever is done with it.
  ends_at      bigint not null,
  network      text   not null,
  browser      text   not null,
  -- While one of the service's people looks at a merchant's pages.
  viewing_id   text
);
create index sessions_person on sessions (person_id);
create index sessions_end on sessions (ends_at);

-- One of the service's people looked at a merchant's pages: why, and for how long. The merchant sees it.
create table viewings (
  viewing_id  text   not null primary key,
  merchant_id text   not null,
  person_id   text   not null,
  reason      text   not null,
  began_at    bigint not null,
  until       bigint not null
);
create index viewings_merchant on viewings (merchant_id, began_at);

create table password_resets (
  token_hash text   not null primary key,
  person_id  text   not null,
  ends_at    bigint not null,
  used_at    bigint
);
create index password_resets_person on password_resets (person_id);

create table invitations (
  invitation_id text   not null primary key,
  -- Null until its letter is sent.
  token_hash    text   unique,
  merchant_id   text   not null,
  email         text   not null,
  role          text   not null,
  invited_by    text   not null,
  created_at    bigint not null,
  ends_at       bigint not null,
  -- When it was accepted or withdrawn.
  over_at       bigint
);
create index invitations_merchant on invitations (merchant_id, created_at);

-- Tries that went wrong, by whom they were for and by where they came from; both hashed.
create table sign_in_tries (
  name          text   not null primary key,
  failures      bigint not null,
  last_at       bigint not null,
  blocked_until bigint not null
);
create index sign_in_tries_age on sign_in_tries (last_at);

-- Letters that must leave. A letter is written when it is sent, with a token of that moment: none is kept here. Whether anybody has the
-- address is found out then as well, so that asking for a letter takes the same for everybody.
create table mails (
  mail_id    text   not null primary key,
  email      text   not null,
  kind       text   not null,
  -- What it is about, such as an invitation; empty for none.
  about      text   not null,
  created_at bigint not null,
  attempts   bigint not null default 0,
  -- Null when it is sent or given up.
  due_at     bigint,
  sent_at    bigint,
  last_error text
);
create index mails_due on mails (due_at) where due_at is not null;

-- What wants a second person.
create table approvals (
  approval_id text   not null primary key,
  kind        text   not null,
  merchant_id text   not null,
  account_id  text   not null,
  -- What it is about: an account, a payment.
  subject     text   not null,
  amount_xof  bigint,
  reason      text   not null,
  asked_by    text   not null,
  asked_at    bigint not null,
  state       text   not null,
  decided_by  text,
  decided_at  bigint
);
create unique index approvals_waiting on approvals (kind, subject) where state = 'waiting';
create index approvals_subject on approvals (subject, asked_at);

-- Who does which task of the console.
create table task_holders (
  task_id   text   not null primary key,
  person_id text   not null,
  taken_at  bigint not null
);

-- Why the service's people gave an account its status.
alter table accounts add column status_reason text;

-- The audit log is a chain: each entry's hash covers the hash of the entry before.
alter table audit_log add column network text;
-- What was there before, where something was changed.
alter table audit_log add column earlier text;
-- Goes into the hash of what was written down, and is removed when personal data in it is erased.
alter table audit_log add column salt text;
alter table audit_log add column content_hash text;
alter table audit_log add column entry_hash text;

-- 0017_dashboard
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

-- 0018_minute_figures
-- Works beside servers that know 0017_dashboard.

-- What each process counted in each minute of the last hour, for the console's charts (D-113). Removed after that.
create table minute_figures (
  -- Minutes since 1970.
  minute          bigint not null,
  -- A name for one life of one process.
  process         text   not null,
  created         bigint not null,
  settled         bigint not null,
  failed          bigint not null,
  webhook_backlog bigint not null,
  -- How many creates took how long, by the buckets of domain/minute-figures.ts: numbers with commas between.
  latencies       text   not null,
  -- Outcomes by operator, as JSON.
  operators       text   not null,
  primary key (minute, process)
);

-- 0019_quick_codes
-- Works beside servers that know 0018_minute_figures.

-- Changes no table. A database that is made from now on shuffles its payments' codes in a quicker way (D-123), and then needs servers that know
-- this migration: an older one would give other codes. In a database that was made before, codes stay as they are.

-- 0020_attempt_amounts
-- Works beside servers that know 0018_minute_figures.

-- What the payer was asked for by this attempt: on a link without an amount each attempt may be over another one, and the payment has that of the
-- latest. Null in an attempt that an older server began: the payment's.
alter table payment_attempts add column amount_xof bigint;

-- 0021_key_makers_and_refund_approvals
-- Works beside servers that know 0020_attempt_amounts.

-- The person who made or rolled the key in the dashboard; null for keys of a command.
alter table api_keys add column made_by text;
-- Keys of earlier versions: the audit log has their makers.
update api_keys set made_by = (
  select min(case when l.actor like 'owner per_%' then substr(l.actor, 7) when l.actor like 'developer per_%' then substr(l.actor, 11) end)
  from audit_log l
  where l.account_id = api_keys.account_id
    and ((l.action = 'keys.make' and l.subject = api_keys.key_id)
      or (l.action = 'keys.roll' and l.detail like '%"to":"' || api_keys.key_id || '"%'))
);

-- The reference that the refund has once it is approved; null for other approvals, and for those that an older server asked for.
alter table approvals add column refund_reference text;

-- 0022_confirmed_addresses
-- Works beside servers that know 0020_attempt_amounts.

-- The address that a person signed up with and has not confirmed. Until then people.email holds the person's id, so that nobody holds an address
-- without its mailbox, and any number of people may have signed up with the same one. Null once it is confirmed.
alter table people add column unconfirmed_email text;
create index people_unconfirmed on people (unconfirmed_email) where unconfirmed_email is not null;

-- People who signed up before this version, and have proved their mailbox neither by an invitation nor by a password reset, confirm it now. Those whose
-- merchant was validated for live were looked at by a person.
update people set unconfirmed_email = email, email = person_id
where service_role is null and removed_at is null
  and person_id in (select substr(actor, 8) from audit_log where action = 'merchant.sign_up')
  and person_id not in (select subject from audit_log where action in ('team.join', 'person.password_reset'))
  and person_id not in (
    select w.person_id from merchant_people w join accounts a on a.merchant_id = w.merchant_id
    where a.environment = 'live' and a.status <> 'unvalidated');

-- 0023_connection_refusals
-- Works beside servers that know 0020_attempt_amounts.

-- Connections that a network refuses for our configuration. They take no new payments but probes; the first that the network accepts removes the row.
create table connection_refusals (
  environment text   not null,
  connection  text   not null,
  -- Whose payers: a connection to an aggregator may be enabled for one operator and not for another.
  operator    text   not null,
  -- settings, form or outcome.
  kind        text   not null,
  since       bigint not null,
  refused_at  bigint not null,
  -- What the network said and what to change.
  why         text   not null,
  primary key (environment, connection, operator)
);

-- 0024_network_ids
-- Works beside servers that know 0020_attempt_amounts.

-- The network's own id of a request: FedaPay's number of a transaction. It is kept before the call that can move money, so a request without one
-- was never sent to a network that has such ids. Null at other networks, and for requests of older servers.
alter table payments add column network_id text;
alter table payment_attempts add column network_id text;
