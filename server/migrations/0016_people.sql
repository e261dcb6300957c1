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
