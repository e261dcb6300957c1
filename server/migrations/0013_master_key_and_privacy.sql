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
