-- Works with servers that know 0001_initial.

-- Failing endpoints, by their attempts in a row. `failing_since` is the first failure after the last success.
alter table webhook_endpoints add column failures bigint not null default 0;
-- The answer to the last failed attempt; null for none.
alter table webhook_endpoints add column last_status_code bigint;
-- The last success after a failure: attempts that ended before it no longer count.
alter table webhook_endpoints add column recovered_at bigint;
-- When its people were sent an email about it; null once it works again.
alter table webhook_endpoints add column warned_at bigint;
create index webhook_endpoints_failing on webhook_endpoints (failing_since) where failing_since is not null;
update webhook_endpoints set failures = 3 where failing_since is not null;

-- The kinds of email that a person has switched off (domain/notice.ts).
create table emails_off (
  person_id text not null,
  kind      text not null,
  primary key (person_id, kind)
);

-- What an email is about, so that the same cause has at most one an hour; null for emails that a person asks for.
alter table mails add column cause text;
create index mails_of_cause on mails (email, kind, cause, created_at) where cause is not null;

-- Requests for validation that wait for an answer, for the staff's tasks.
create index merchant_profiles_asked on merchant_profiles (validation_asked_at) where validation_asked_at is not null;
