-- The schema of version 0.1.0, one section for each noun. One text for SQLite and PostgreSQL: text keys, times in milliseconds since 1970, no types
-- of one engine. The table of the search differs between them (0002_search). Later changes are files of their own (CONTRIBUTING.md, Migrations).


-- The service itself ------------------------------------------------------------------------------------------------------------------------

-- Values that every process on this database shares: its key for public references, the head of the audit log.
create table service_facts (
  name  text not null primary key,
  value text not null
);

-- Numbers are taken in blocks: one update for every thousand payments, by one process or by many.
create table counters (
  name      text   not null primary key,
  next_free bigint not null
);

-- API keys are stored as hashes under a key derived from the master key, and cannot be hashed again. When the master key is rotated, the hashing
-- key of the old one is kept here, sealed under the new one. The newest hashing key is never here.
create table retired_hashing_keys (
  -- Counts up: 1 is the oldest.
  generation  bigint not null primary key,
  hashing_key text   not null,
  retired_at  bigint not null
);

-- The key of the codes on receipts, sealed: it stays the same when the master key is rotated, so that printed receipts keep their codes.
create table receipt_keys (
  key_id      text not null primary key,
  receipt_key text not null
);

-- Months of payments and their histories that `karba archive write` wrote to files. Each file is sealed under a key of its own, which is here,
-- sealed under the master key: without this row, nobody can read the file.
create table archives (
  archive_id  text   not null primary key,
  -- 2026-03, in the time zone of Niamey and Porto-Novo.
  month       text   not null,
  content_key text   not null,
  begun_at    bigint not null,
  made_by     text   not null,
  payments    bigint not null default 0,
  bytes       bigint not null default 0,
  -- Of the file's lines, uncompressed. Null until the file is complete.
  sha256      text
);
create unique index archives_month on archives (month) where sha256 is not null;

-- What each process counted in each minute of the last hour, for the console's charts (ADR-0016). Removed after that.
create table minute_figures (
  -- Minutes since 1970.
  minute          bigint not null,
  -- Names one run of one process.
  process         text   not null,
  created         bigint not null,
  settled         bigint not null,
  failed          bigint not null,
  webhook_backlog bigint not null,
  -- Creates by duration, in the buckets of domain/minute-figures.ts: comma-separated numbers.
  latencies       text   not null,
  -- Outcomes by operator, as JSON.
  operators       text   not null,
  primary key (minute, process)
);


-- Merchants ---------------------------------------------------------------------------------------------------------------------------------

create table merchants (
  merchant_id text   not null primary key,
  name        text   not null,
  created_at  bigint not null
);

create table accounts (
  account_id    text   not null primary key,
  merchant_id   text   not null references merchants (merchant_id),
  environment   text   not null check (environment in ('sandbox', 'live')),
  status        text   not null check (status in ('unvalidated', 'validated', 'suspended')),
  -- Why the staff gave it this status.
  status_reason text,
  -- The methods that its links offer, and the sites that may create links with its public key: comma-separated.
  link_methods  text   not null default 'mobile,bank_card,wallet',
  origins       text   not null default '',
  -- Whether those sites work at all, the account's own wording for their links, and whether the site's title is shown as well (D-57).
  pages         text   not null default 'on' check (pages in ('on', 'off')),
  page_wording  text   not null default '',
  page_titles   text   not null default 'shown' check (page_titles in ('shown', 'hidden')),
  created_at    bigint not null,
  unique (merchant_id, environment)
);

-- The merchant's identity: for payers, and for the staff who validate it. The same in both environments.
create table merchant_profiles (
  merchant_id         text   not null primary key,
  -- What payers see; null for the merchant's name and the service's own style.
  brand_name          text,
  colour              text,
  phone               text,
  -- In base64, with the hash that its URL contains.
  logo                text,
  logo_type           text,
  logo_hash           text,
  legal_name          text   not null default '',
  registration        text   not null default '',
  country             text   not null default '',
  city                text   not null default '',
  address             text   not null default '',
  contact             text   not null default '',
  validation_asked_at bigint,
  -- The merchant's alias at PI-SPI, for the QR code on posters; null without one.
  pi_alias            text
);
-- Requests for validation that wait for an answer, for the staff's tasks.
create index merchant_profiles_asked on merchant_profiles (validation_asked_at) where validation_asked_at is not null;
create index merchant_profiles_logo on merchant_profiles (logo_hash) where logo_hash is not null;

-- Documents for the validation. Each is sealed under a key of its own, and that key under the master key.
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


-- API keys ----------------------------------------------------------------------------------------------------------------------------------

-- key_hash is a keyed hash: without the master key of the installation, this table authenticates nothing (D-17).
create table api_keys (
  account_id   text   not null references accounts (account_id),
  key_id       text   not null,
  kind         text   not null check (kind in ('public', 'secret')),
  key_hash     text   not null unique,
  -- A public key in full; of a secret key only its first characters, to tell it from others.
  shown_as     text   not null,
  name         text,
  -- Comma-separated; null for all permissions.
  permissions  text,
  -- Addresses and networks, comma-separated; null for all.
  networks     text,
  -- What the merchant's server signs orders with: derived from the secret key, sealed. Null for public keys, and for keys that may not create.
  order_key    text,
  -- The person who created or rolled the key in the dashboard; null for keys of a command.
  made_by      text,
  created_at   bigint not null,
  -- To a minute.
  last_used_at bigint,
  -- Null until it is rolled or revoked.
  expires_at   bigint,
  primary key (account_id, key_id)
);

-- Recent API requests of merchants' servers, for their developers: no bodies, and at most as many a second as a setting allows.
create table request_log (
  account_id   text   not null,
  at           bigint not null,
  request_id   text   not null,
  method       text   not null,
  -- With the payment's reference where it is known, never with text that a caller wrote.
  path         text   not null,
  status       bigint not null,
  error_code   text,
  key_id       text   not null,
  milliseconds bigint not null,
  primary key (account_id, at, request_id)
);


-- Payments ----------------------------------------------------------------------------------------------------------------------------------

-- A payment from its creation to its outcome. Its due time is a column, so this table is also the worker's queue.
--
-- No foreign key to accounts: the account comes from the key that was just checked, accounts are never deleted, and on PostgreSQL the check
-- would lock the account's row for every create.
create table payments (
  account_id          text   not null,
  environment         text   not null check (environment in ('sandbox', 'live')),
  -- Counts up in blocks: the order in which a merchant's payments are listed, and the source of public_reference.
  number              bigint not null,
  reference           text   not null,
  public_reference    text   not null,
  external_reference  text   not null,
  status              text   not null check (status in ('initiated', 'pending', 'succeeded', 'failed', 'refunded')),
  amount_xof          bigint not null check (amount_xof > 0),
  country             text   not null,
  -- As the merchant wrote it, and as the operator needs it.
  msisdn_written      text,
  msisdn              text,
  operator            text,
  customer_name       text,
  -- The merchant's own JSON; null unless it was given.
  metadata            text,
  failure_reason      text,
  created_at          bigint not null,
  validated_at        bigint,

  -- The connection that took the payment, written before the call: status requests and refunds go there for ever. Null when the connection has
  -- its operator's name, as the simulated network's does.
  connection          text,
  handed_over_at      bigint,
  -- When the operator first confirmed that it has the payment. From then on, neither its silence nor a "not found" ends the payment.
  accepted_at         bigint,
  operator_reference  text,
  -- The network's own id of the request: FedaPay's number of a transaction. It is stored before the call that can move money, so a request
  -- without one was never sent to a network that has such ids. Null at other networks.
  network_id          text,
  -- Status requests since the hand-over: decides when to ask next.
  asked_times         bigint not null default 0,
  -- Claims to send it with no recorded result. Above 1 it may have been sent: the operator is asked before it is sent again.
  claims              bigint not null default 0,
  -- When a process must look at it next; null once there is nothing left to do.
  due_at              bigint,

  -- While an attempt on a link is in progress, and after it succeeded: the reference that the operator knows, and when the payer began. Null for
  -- a payment of the API, which is requested once and under its own reference.
  attempt_reference   text,
  attempt_at          bigint,
  -- Who created a link's payment: null for the merchant, `order` for a page with an order that the merchant's server signed, `page` for a page
  -- alone. client_reference is that order's or page's name for it: not unique, and never searched by (D-57).
  created_by          text,
  client_reference    text,
  -- When a person accepted money that came after the payment had failed; its failure event is older than its success event.
  accepted_late_at    bigint,

  -- The amounts of the payment's own refunds that have not failed: guarded in each request, so that it never exceeds the amount. And of those that
  -- succeeded: the payment is refunded when this reaches the amount (D-154).
  refund_reserved_xof bigint not null default 0,
  refunded_xof        bigint not null default 0,

  -- The usual history of a payment is in these columns and not in payment_story, which would cost rows. How long the operator took to accept the
  -- request; null where payment_story has that entry, or none was accepted.
  accepted_ms         bigint,
  -- The report of the success: by which call it came (request, status or callback), and how long that took; null where payment_story has it.
  ended_via           text,
  ended_ms            bigint,

  primary key (account_id, number),
  -- Alone, not behind the account: an operator's callback has this reference and no account.
  unique (reference),
  -- D-16: one payment for each transaction_id of an account, for ever.
  unique (account_id, external_reference)
);

-- By connection, so that a backlog at one does not delay the others; by whether it was sent, so that status requests do not delay sending where
-- a network limits requests; by account, so that merchants take turns.
create index payments_due on payments
  (environment, coalesce(connection, operator), (case when handed_over_at is null then 0 else 1 end), account_id, due_at)
  where due_at is not null;

-- Rare statuses only. Pending and succeeded are most payments, found by walking back from the newest; every create would write an index on them.
create index payments_rare on payments (account_id, status, number)
  where status = 'initiated' or status = 'failed' or status = 'refunded';

-- Exchanges with the operator and status changes, in order; an answer that repeats the one before has no row. Keyed by the payment's number, which
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

-- The current payment of a merchant's order. A transaction that may give the order another payment locks this row, so that of any number of
-- attempts at most one is pending and at most one succeeds. Only payments with an order_reference have one.
create table orders (
  account_id      text   not null,
  order_reference text   not null,
  -- The payment's.
  number          bigint not null,
  primary key (account_id, order_reference)
);

-- What no rule can decide and a person must look at: a success after a failure, another amount than the requested one. One row for each request
-- to an operator and kind: a link has several attempts, and each may be debited.
create table payment_anomalies (
  -- Derived from kind, operator and request_reference: the same anomaly has the same id however often it is seen.
  anomaly_id        text   not null primary key,
  -- Null with `unknown_reference`: the operator reports a payment that we do not have.
  account_id        text,
  number            bigint,
  environment       text   not null,
  operator          text   not null,
  -- The reference that the operator knows: the payment's, or that of an attempt on its link.
  request_reference text   not null,
  kind              text   not null,
  detail            text   not null,
  at                bigint not null,
  -- Null until a person has resolved it.
  resolved_at       bigint,
  resolved_by       text,
  note              text
);
create index payment_anomalies_latest on payment_anomalies (at, anomaly_id);

-- Requests that failed as never_received. The operator never reported a failure, so it is asked again, at growing intervals, for three days.
create table rechecks (
  request_reference text   not null primary key,
  environment       text   not null,
  operator          text   not null,
  connection        text,
  failed_at         bigint not null,
  due_at            bigint not null
);
create index rechecks_due on rechecks (due_at);

-- A payment may have several, each with its own amount (D-154). A refund has its row from the request on, also while it waits for an approval.
create table refunds (
  account_id         text   not null,
  number             bigint not null,
  refund_reference   text   not null unique,
  status             text   not null check (status in ('pending', 'succeeded', 'failed')),
  failure_reason     text,
  requested_by       text   not null,
  -- The debit that is given back: null for the payment's own; for money that came late, the reference that the operator knows.
  request_reference  text,
  -- The operator's own name of that debit, where it is not the payment's.
  operator_reference text,
  -- Since when a person must make the refund, because the network has no call for it, and why. Null when the network makes it.
  by_hand_since      bigint,
  by_hand_why        text,
  -- The person who ended it, and the proof.
  ended_by           text,
  proof              text,
  created_at         bigint not null,
  -- When it succeeded or failed.
  ended_at           bigint,
  asked_times        bigint not null default 0,
  -- As in payments.
  claims             bigint not null default 0,
  due_at             bigint,
  amount_xof         bigint not null,
  -- The merchant's own name of the refund: a repeated request returns the first one. Null without one.
  refund_id          text,
  -- Since when a second person must approve it; null when none must, and after the approval.
  approval_since     bigint,
  primary key (account_id, number, refund_reference)
);

-- Late money has at most one refund that has not failed.
create unique index refunds_late on refunds (account_id, number, request_reference)
  where request_reference is not null and status <> 'failed';
create unique index refunds_named on refunds (account_id, number, refund_id) where refund_id is not null;
create index refunds_due on refunds (due_at) where due_at is not null;
create index refunds_by_hand on refunds (by_hand_since) where by_hand_since is not null and status = 'pending';


-- Payment links -----------------------------------------------------------------------------------------------------------------------------

-- A payment that waits for a payer to open a page (D-22).
create table payment_links (
  account_id         text   not null,
  -- The payment's.
  number             bigint not null,
  -- Known only to those who have the link (D-23).
  reference          text   not null unique,
  title              text   not null,
  description        text,
  on_success_url     text,
  on_failed_url      text,
  -- The site that created it with a public key, and that may show it in a frame.
  origin             text,
  -- A link without an amount: the payer types one of at least this, and may be offered some. Until then the payment's amount is this one.
  minimum_amount_xof bigint,
  suggested_amounts  text   not null default '',
  -- The poster that the payer came from.
  poster_number      bigint,
  created_at         bigint not null,
  expires_at         bigint,
  -- When a process must check whether it has expired; null once it is closed, or never expires.
  due_at             bigint,
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
  connection     text,
  -- As in payments.
  network_id     text,
  -- On a link without an amount each attempt may have another one; the payment has that of the latest.
  amount_xof     bigint,
  msisdn_written text,
  -- The number that was prompted, for the limits of D-60. Null when no phone rings: a provider's page, a test number.
  environment    text,
  msisdn         text,
  -- The account, when a page alone created the link: anyone can create any number of those.
  page_account   text,
  -- A hash of the token of the browser that began the attempt: only that browser can abandon it.
  browser_hash   text,
  -- Where the payer goes to pay, for a method that has a page of its own.
  provider_url   text,
  status         text   not null check (status in ('pending', 'succeeded', 'failed')),
  failure_reason text,
  created_at     bigint not null,
  ended_at       bigint,
  primary key (account_id, number, attempt)
);
create index payment_attempts_number on payment_attempts (environment, msisdn, created_at) where msisdn is not null;
create index payment_attempts_page on payment_attempts (page_account, created_at) where page_account is not null;

-- A row for each number and account whose limit was ever checked. A transaction that begins an attempt locks its rows first, so that two
-- processes cannot both pass the limit (D-60).
create table prompt_guards (
  name text   not null primary key,
  at   bigint not null
);

-- Links on a poster. Each payer gets a payment with a link of its own, created when they choose how to pay: so a poster is not a payment.
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


-- Connections to networks -------------------------------------------------------------------------------------------------------------------

-- Connections that take no new payments until a person resumes them.
create table connection_pauses (
  environment text   not null,
  connection  text   not null,
  since       bigint not null,
  reason      text   not null,
  paused_by   text   not null,
  primary key (environment, connection)
);

-- The health of each connection, as the process that calls it last saw it: for commands and the console.
create table connection_health (
  environment   text   not null,
  connection    text   not null,
  state         text   not null,
  since         bigint not null,
  -- Why the last call failed; null when it was answered.
  why           text,
  misconfigured bigint not null,
  seen_at       bigint not null,
  primary key (environment, connection)
);

-- Connections that a network refuses for our configuration. They take no new payments but probes; the first that the network accepts removes
-- the row.
create table connection_refusals (
  environment text   not null,
  connection  text   not null,
  -- Whose payers: a connection to an aggregator may be enabled for one operator and not for another.
  operator    text   not null,
  -- settings, form or outcome.
  kind        text   not null,
  since       bigint not null,
  refused_at  bigint not null,
  -- The network's message, and what to change.
  why         text   not null,
  primary key (environment, connection, operator)
);

-- An account's own contract with a network (ADR-0020).
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


-- Events and webhooks -----------------------------------------------------------------------------------------------------------------------

-- One row for each event, written in the commit of the status change that it reports (D-26).
create table events (
  account_id text   not null,
  -- Counts up by one within the account, without a gap.
  sequence   bigint not null,
  event_id   text   not null unique,
  event      text   not null,
  number     bigint not null,
  -- Empty for the event of a success, whose text the payment gives.
  payload    text   not null,
  created_at bigint not null,
  primary key (account_id, sequence)
);
-- A payment's events, to replay them.
create index events_of_payment on events (account_id, number);

create table event_feeds (
  account_id    text   not null primary key,
  last_sequence bigint not null,
  last_replay   bigint not null default 0
);

-- Replays in order, for readers of the feed.
create table event_replays (
  account_id text   not null,
  replay     bigint not null,
  sequence   bigint not null,
  at         bigint not null,
  primary key (account_id, replay)
);
-- An event stays as long as its newest replay.
create index event_replays_of_event on event_replays (account_id, sequence);

-- Where the feed of an account begins, once old events were removed (KARBA_KEEP_EVENTS_DAYS). This row moves before the events go: a reader that
-- misses events finds the reason here. A feed without a row has all of its events.
create table feed_starts (
  account_id    text   not null primary key,
  -- Events up to this sequence are removed, or are about to be.
  removed_to    bigint not null,
  -- When the newest of them was written.
  removed_until bigint not null,
  -- What they counted in daily_figures, for `karba verify`.
  succeeded     bigint not null default 0,
  succeeded_xof bigint not null default 0,
  failed        bigint not null default 0,
  failed_xof    bigint not null default 0,
  refunded      bigint not null default 0,
  refunded_xof  bigint not null default 0
);

-- Secrets are sealed under a key of the installation: a copy of this table cannot sign for us.
create table webhook_endpoints (
  account_id                text   not null references accounts (account_id),
  endpoint_id               text   not null,
  url                       text   not null,
  -- `gone` is off too: the receiver answered 410.
  status                    text   not null check (status in ('on', 'off', 'gone')),
  secret_hash               text   not null,
  old_secret_hash           text,
  old_secret_hash_until     bigint,
  signing_secret            text   not null,
  old_signing_secret        text,
  old_signing_secret_until  bigint,
  created_at                bigint not null,
  -- The first failure after the last success; null while it works.
  failing_since             bigint,
  -- An endpoint is a queue that one process works at a time: when a delivery is due, and until when a process has claimed the queue.
  due_at                    bigint,
  claimed_until             bigint,
  -- Failed attempts in a row.
  failures                  bigint not null default 0,
  -- The answer to the last failed attempt; null for none.
  last_status_code          bigint,
  -- The last success after a failure: attempts that ended before it no longer count.
  recovered_at              bigint,
  -- When its people were sent an email about it; null once it works again.
  warned_at                 bigint,
  primary key (account_id, endpoint_id)
);
create index webhook_endpoints_failing on webhook_endpoints (failing_since) where failing_since is not null;
create index webhook_endpoints_due on webhook_endpoints (due_at) where due_at is not null;

create table webhook_subscriptions (
  account_id   text not null,
  endpoint_id  text not null,
  event        text not null,
  primary key (account_id, endpoint_id, event),
  foreign key (account_id, endpoint_id) references webhook_endpoints (account_id, endpoint_id) on delete cascade
);

-- One row for each event that an endpoint subscribes to, written in the commit of the event, and one for each replay.
create table webhook_deliveries (
  account_id   text   not null,
  endpoint_id  text   not null,
  -- The event's, in the account's feed.
  sequence     bigint not null,
  -- 0 for the event itself, then one for each replay.
  round        bigint not null,
  -- 1 for a replay, else 0: replays have a queue of their own, so that they do not delay new events.
  is_replay    bigint not null,
  -- The payment's: events of one payment are delivered in their order.
  number       bigint not null,
  status       text   not null check (status in ('waiting', 'delivered', 'failed')),
  attempts     bigint not null default 0,
  created_at   bigint not null,
  -- Null once there is nothing left to do.
  due_at       bigint,
  ended_at     bigint,
  -- The attempt that delivered it; null where webhook_attempts has it.
  status_code  bigint,
  duration_ms  bigint,
  answer       text,
  primary key (account_id, endpoint_id, sequence, round)
);
create index webhook_deliveries_due on webhook_deliveries (account_id, endpoint_id, is_replay, due_at, sequence)
  where due_at is not null;
create index webhook_deliveries_order on webhook_deliveries (account_id, endpoint_id, number, sequence)
  where status = 'waiting';
-- For the lists in the dashboard.
create index webhook_deliveries_latest on webhook_deliveries (account_id, created_at);
create index webhook_deliveries_failed on webhook_deliveries (account_id, created_at) where status = 'failed';

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
-- For KARBA_KEEP_WEBHOOK_ANSWERS_DAYS: answers that are still there, the oldest first.
create index webhook_attempts_answered on webhook_attempts (account_id, endpoint_id, sequence) where answer <> '';


-- Books: double entry in whole francs (ADR-0019) --------------------------------------------------------------------------------------------

-- Only added to, in the commit of what an entry reports. A correction is another entry that names the first.
create table ledger_entries (
  account_id       text   not null,
  -- Counts up by one within the account, without a gap.
  entry            bigint not null,
  connection       text   not null,
  booked_at        bigint not null,
  -- The value date: days since 1970, in the time zone of Niamey and Porto-Novo.
  day              bigint not null,
  kind             text   not null,
  debit            text   not null,
  credit           text   not null,
  amount_xof       bigint not null check (amount_xof > 0),
  -- What it belongs to: a payment, one of its refunds, a line of the connection's statement.
  number           bigint,
  refund_reference text,
  line_number      bigint,
  made_by          text   not null,
  primary key (account_id, entry),
  check (debit <> credit)
);
-- For statements, by value date.
create index ledger_entries_day on ledger_entries (account_id, day, entry);
-- A payment's entries.
create index ledger_entries_payment on ledger_entries (account_id, number) where number is not null;

create table ledger_heads (
  account_id text   not null primary key,
  last_entry bigint not null
);

-- What the entries of a day add up to. No payment writes this table: the worker derives it (ADR-0016).
create table ledger_days (
  account_id     text   not null,
  connection     text   not null,
  day            bigint not null,
  ledger_account text   not null,
  debit_xof      bigint not null,
  credit_xof     bigint not null,
  primary key (account_id, connection, day, ledger_account)
);

-- What a network takes of each collection, from a day on (domain/tariff.ts).
create table tariffs (
  environment text   not null,
  connection  text   not null,
  from_day    bigint not null,
  -- In thousandths of a percent.
  rate        bigint not null,
  fixed_xof   bigint not null,
  minimum_xof bigint not null,
  maximum_xof bigint,
  rounding    text   not null check (rounding in ('up', 'down', 'nearest')),
  set_by      text   not null,
  set_at      bigint not null,
  primary key (environment, connection, from_day)
);


-- Networks' statements (ADR-0019) -----------------------------------------------------------------------------------------------------------

-- A file, or a part that was fetched from the network's API.
create table statement_files (
  file_id     text   not null primary key,
  environment text   not null,
  connection  text   not null,
  -- Of its bytes: the same file is imported once.
  sha256      text   not null,
  name        text   not null,
  bytes       bigint not null,
  -- `importing` until every line is there: an import that was cut off continues when the file is imported again.
  state       text   not null check (state in ('importing', 'imported')),
  lines       bigint not null,
  -- Lines that no earlier file had.
  added       bigint not null default 0,
  -- Null where the file has no balance.
  opening_xof bigint,
  closing_xof bigint,
  first_day   bigint not null,
  last_day    bigint not null,
  imported_at bigint not null,
  imported_by text   not null,
  -- The first and the last movement of the file.
  first_at    bigint not null,
  last_at     bigint not null,
  unique (environment, connection, sha256)
);

-- A transaction that imports lines locks its row, so that one import at a time decides which line is the first.
create table statement_sources (
  environment     text   not null,
  connection      text   not null,
  -- The number of the last line.
  last_line       bigint not null default 0,
  -- Until when one import has the connection. It ends with the process that took it.
  importing_until bigint not null default 0,
  primary key (environment, connection)
);

-- How the files of a connection write their lines, where a person chose the columns (domain/statement.ts), as JSON.
create table statement_mappings (
  environment text   not null,
  connection  text   not null,
  mapping     text   not null,
  set_by      text   not null,
  set_at      bigint not null,
  primary key (environment, connection)
);

create table statement_lines (
  environment       text   not null,
  connection        text   not null,
  line_number       bigint not null,
  file_id           text   not null,
  -- The row of the file.
  row_number        bigint not null,
  -- Its time, a hash of what it says, and which of several equal lines of its file it is: so a line of two files is one. The time comes first, so
  -- that new lines change the last pages of the index.
  identity          text   not null,
  booked_at         bigint not null,
  day               bigint not null,
  type              text   not null,
  amount_xof        bigint not null,
  fee_xof           bigint not null,
  tax_xof           bigint not null,
  balance_xof       bigint,
  network_reference text   not null,
  our_reference     text   not null,
  counterparty      text   not null,
  text              text   not null,
  -- What it is about; null until that is known.
  account_id        text,
  number            bigint,
  refund_reference  text,
  -- 1 once it is booked as the payment, refund or movement that it names.
  is_matched        bigint not null,
  primary key (environment, connection, line_number),
  unique (environment, connection, identity)
);
-- The lines of a payment.
create index statement_lines_payment on statement_lines (account_id, number) where number is not null;
-- The lines of a connection by time: what a settlement holds is what came since the one before.
create index statement_lines_time on statement_lines (environment, connection, booked_at, line_number);
-- An account's settlements, the newest first.
create index statement_lines_settlements on statement_lines (account_id, booked_at, line_number) where type = 'settlement';
-- Whether the wallet had a balance after some line.
create index statement_lines_balance on statement_lines (environment, connection, balance_xof) where balance_xof is not null;

-- Up to which entry of each account the payments and refunds of a connection were compared with its statements.
create table statement_checks (
  environment   text   not null,
  connection    text   not null,
  account_id    text   not null,
  checked_entry bigint not null,
  primary key (environment, connection, account_id)
);

-- What a person must look at, each with one next step.
create table book_exceptions (
  -- Derived from what it is about: the same exception has the same id however often it is found.
  exception_id     text   not null primary key,
  environment      text   not null,
  connection       text   not null,
  kind             text   not null,
  -- Null for a line of a shared connection that names no payment of ours.
  account_id       text,
  number           bigint,
  line_number      bigint,
  amount_xof       bigint not null,
  detail           text   not null,
  at               bigint not null,
  -- Null until a person has closed it, or a later line has explained it.
  resolved_at      bigint,
  resolved_by      text,
  note             text,
  -- When the line is judged again; null for one that only a person can close.
  due_at           bigint,
  -- Of an exception about a refund; null for one about its payment.
  refund_reference text
);
create index book_exceptions_open on book_exceptions (at, exception_id) where resolved_at is null;
create index book_exceptions_account on book_exceptions (account_id, at) where account_id is not null;
-- Closed by a later line of the same payment.
create index book_exceptions_payment on book_exceptions (account_id, number) where resolved_at is null;
create index book_exceptions_due on book_exceptions (due_at) where due_at is not null;
-- The openings of files that do not follow.
create index book_exceptions_openings on book_exceptions (environment, connection)
  where kind = 'balance_does_not_add_up' and resolved_at is null;

-- Files as they were uploaded: compressed, in parts that are sealed with a key of their own, because they name payers.
create table kept_files (
  kept_id     text   not null primary key,
  environment text   not null,
  connection  text   not null,
  name        text   not null,
  -- Sealed under the master key.
  content_key text   not null,
  -- Null until every part is there.
  sha256      text,
  bytes       bigint not null default 0,
  kept_at     bigint not null,
  kept_by     text   not null
);
create unique index kept_files_content on kept_files (environment, connection, sha256) where sha256 is not null;
create index kept_files_age on kept_files (kept_at);

create table kept_file_parts (
  kept_id text   not null,
  part    bigint not null,
  content text   not null,
  primary key (kept_id, part)
);

-- Statements that are fetched from the networks that offer them: a row for each day of a connection.
create table statement_fetches (
  environment   text   not null,
  connection    text   not null,
  -- In Niamey and Porto-Novo: days since 1970.
  day           bigint not null,
  -- `failed` after the last try: only a person has it tried again.
  state         text   not null check (state in ('waiting', 'fetched', 'failed')),
  -- The network's id of the statement that it was asked for; null before, and once that one cannot be used.
  request_id    text,
  requested_at  bigint,
  -- Failures in a row.
  failures      bigint not null default 0,
  -- When it is tried next; null where nothing is left to do.
  due_at        bigint,
  -- Until when one process works on it. It ends with that process.
  claimed_until bigint not null default 0,
  -- The last success, and the last failure; a success removes the failure.
  fetched_at    bigint,
  failed_at     bigint,
  fault         text,
  why           text,
  primary key (environment, connection, day)
);
create index statement_fetches_due on statement_fetches (due_at) where due_at is not null;


-- Settlements and merchants' statements -----------------------------------------------------------------------------------------------------

-- That the merchant's bank has the money of a settlement: once for each line.
create table settlement_receipts (
  environment    text   not null,
  connection     text   not null,
  line_number    bigint not null,
  account_id     text   not null,
  received_xof   bigint not null check (received_xof > 0),
  -- When the bank credited it: days since 1970.
  received_day   bigint not null,
  confirmed_at   bigint not null,
  confirmed_by   text   not null,
  -- The bank's own reference of the credit, as the merchant read it on the bank's statement; empty without one.
  bank_reference text   not null default '',
  primary key (environment, connection, line_number)
);

-- The account numbers of a merchant's SYSCOHADA journal, as JSON; without a row the defaults.
create table journal_accounts (
  account_id text   not null primary key,
  numbers    text   not null,
  set_by     text   not null,
  set_at     bigint not null
);

-- Which statements were announced: each once, in the commit of its event and its emails.
create table ready_statements (
  account_id text   not null,
  period     text   not null check (period in ('day', 'month')),
  first_day  bigint not null,
  ready_at   bigint not null,
  primary key (account_id, period, first_day)
);

-- Who gets which statements of an account by email.
create table statement_readers (
  account_id text   not null,
  person_id  text   not null,
  daily      bigint not null,
  monthly    bigint not null,
  primary key (account_id, person_id)
);


-- Figures and search of the dashboard -------------------------------------------------------------------------------------------------------

-- No create writes these tables: the worker derives them from what is recorded (ADR-0016). This is its progress in each account.
create table payment_summaries (
  account_id     text   not null primary key,
  -- The last event of the feed that is counted in daily_figures.
  last_sequence  bigint not null default 0,
  -- Payments up to this number are in payment_search; -1 for none.
  indexed_number bigint not null default -1,
  -- The last entry that is counted in ledger_days.
  summed_entry   bigint not null default 0
);

-- Outcomes by the day on which they were recorded, in the time zone of Niamey and Porto-Novo.
create table daily_figures (
  account_id text   not null,
  -- Days since 1970.
  day        bigint not null,
  -- Empty for a link that was closed before any attempt to pay.
  operator   text   not null,
  outcome    text   not null check (outcome in ('succeeded', 'failed', 'refunded')),
  -- Why they failed; empty for others.
  reason     text   not null,
  payments   bigint not null,
  amount_xof bigint not null,
  primary key (account_id, day, operator, outcome, reason)
);


-- People ------------------------------------------------------------------------------------------------------------------------------------

-- Users of the dashboard: merchants' teams, and the staff of the service. Credentials are hashed, or sealed under the master key.
create table people (
  person_id         text   not null primary key,
  -- In lower case.
  email             text   not null unique,
  -- The address that a person signed up with and has not confirmed. Until then `email` holds the person's id: so an address belongs only to
  -- those who can read its mailbox, and any number of people may sign up with the same one. Null once it is confirmed.
  unconfirmed_email text,
  name              text   not null,
  language          text   not null,
  -- Argon2id, with its parameters and its salt.
  password_hash     text   not null,
  -- For staff; null for a merchant's team.
  service_role      text,
  -- 1 while another person has seen the password.
  is_first_password bigint not null default 0,
  -- Sealed. It counts once it has been confirmed with a code.
  totp_secret       text,
  totp_since        bigint,
  -- The last 30-second step whose code was used: no code is accepted twice.
  totp_step         bigint not null default 0,
  created_at        bigint not null,
  last_seen_at      bigint,
  -- Set when a member of the staff is removed.
  removed_at        bigint
);
create index people_of_service on people (service_role) where service_role is not null;
create index people_unconfirmed on people (unconfirmed_email) where unconfirmed_email is not null;

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

-- By the hash of the browser's token.
create table sessions (
  token_hash   text   not null primary key,
  session_id   text   not null unique,
  person_id    text   not null,
  created_at   bigint not null,
  last_seen_at bigint not null,
  -- When it ends, even in use.
  ends_at      bigint not null,
  network      text   not null,
  browser      text   not null,
  -- While a member of the staff views a merchant's pages.
  viewing_id   text
);
create index sessions_person on sessions (person_id);
create index sessions_end on sessions (ends_at);

-- A member of the staff viewed a merchant's pages: why, and for how long. The merchant sees it.
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
  -- Null until its email is sent.
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

-- Failed sign-ins, by the person and by the caller's network; both hashed.
create table sign_in_tries (
  name          text   not null primary key,
  failures      bigint not null,
  last_at       bigint not null,
  blocked_until bigint not null
);
create index sign_in_tries_age on sign_in_tries (last_at);

-- Emails to send. The text is written at that moment, with a token that is stored nowhere. Whether a person has the address is checked then as
-- well, so that asking for an email takes the same time for every address.
create table mails (
  mail_id    text   not null primary key,
  email      text   not null,
  kind       text   not null,
  -- Its subject, such as an invitation; empty for none.
  about      text   not null,
  created_at bigint not null,
  attempts   bigint not null default 0,
  -- Null when it is sent or given up.
  due_at     bigint,
  sent_at    bigint,
  last_error text,
  -- What it is about, so that the same cause has at most one an hour; null for emails that a person asks for.
  cause      text
);
create index mails_due on mails (due_at) where due_at is not null;
create index mails_of_cause on mails (email, kind, cause, created_at) where cause is not null;

-- The kinds of email that a person has switched off (domain/notice.ts).
create table emails_off (
  person_id text not null,
  kind      text not null,
  primary key (person_id, kind)
);


-- Console and audit log ---------------------------------------------------------------------------------------------------------------------

-- Actions that need a second person.
create table approvals (
  approval_id      text   not null primary key,
  kind             text   not null,
  merchant_id      text   not null,
  account_id       text   not null,
  -- An account or a payment.
  subject          text   not null,
  amount_xof       bigint,
  -- The reference that the refund will have; null for other approvals.
  refund_reference text,
  reason           text   not null,
  asked_by         text   not null,
  asked_at         bigint not null,
  state            text   not null,
  decided_by       text,
  decided_at       bigint
);
create unique index approvals_waiting on approvals (kind, subject, coalesce(refund_reference, '')) where state = 'waiting';
create index approvals_subject on approvals (subject, asked_at);

-- Who has taken which task of the console.
create table task_holders (
  task_id   text   not null primary key,
  person_id text   not null,
  taken_at  bigint not null
);

-- What people and commands changed. A chain: each entry's hash covers the hash of the entry before (ADR-0013).
create table audit_log (
  entry        bigint not null primary key,
  at           bigint not null,
  actor        text   not null,
  action       text   not null,
  subject      text   not null,
  -- Null for an entry that concerns no single account.
  account_id   text,
  network      text,
  -- The state before a change.
  earlier      text,
  detail       text   not null,
  -- Part of the content's hash, and removed when personal data in the entry is erased.
  salt         text,
  content_hash text,
  entry_hash   text
);
create index audit_log_account on audit_log (account_id, entry) where account_id is not null;
create index audit_log_subject on audit_log (subject, entry);


-- The simulated network ---------------------------------------------------------------------------------------------------------------------

-- Its own books: empty where real operators are connected.
create table simulated_payments (
  reference    text   not null primary key,
  msisdn       text   not null,
  amount_xof   bigint not null,
  requested_at bigint not null,
  -- How often the request came: more than once is a fault of the service, which the tests look for here.
  requests     bigint not null default 1,
  -- The answer given on the sandbox phone, and from when on it holds; null until then.
  ending       text,
  answered_at  bigint
);

create table simulated_refunds (
  refund_reference text   not null primary key,
  reference        text   not null,
  amount_xof       bigint not null,
  requested_at     bigint not null
);
create index simulated_refunds_payment on simulated_refunds (reference);

-- Sessions of the simulated card and wallet provider.
create table simulated_sessions (
  reference    text   not null primary key,
  method       text   not null,
  amount_xof   bigint not null,
  merchant     text   not null,
  title        text   not null,
  return_url   text   not null,
  requested_at bigint not null,
  -- The payer's decision on the provider's page; null until then.
  decision     text
);
