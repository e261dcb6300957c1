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
