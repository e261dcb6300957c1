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
