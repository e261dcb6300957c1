-- Works with servers that know 0001_initial.

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

-- An event stays as long as its newest replay.
create index event_replays_of_event on event_replays (account_id, sequence);

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
