-- The books of each account: double entry in whole francs (ADR-0019).

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

-- The last entry that is counted in ledger_days.
alter table payment_summaries add column summed_entry bigint not null default 0;

-- Entries of the payments that had an outcome before there were books.
insert into ledger_entries
  (account_id, entry, connection, booked_at, day, kind, debit, credit, amount_xof, number, refund_reference, made_by)
select account_id, row_number() over (partition by account_id order by booked_at, number, step), connection, booked_at,
  (booked_at + 3600000) / 86400000, kind, debit, credit, amount_xof, number, refund_reference, 'service:books'
from (
  select p.account_id, p.number, 0 as step, coalesce(p.connection, p.operator, '') as connection, p.amount_xof,
    coalesce(p.validated_at, e.created_at, p.created_at) as booked_at,
    'payment' as kind, 'receivable' as debit, 'sales' as credit, cast(null as text) as refund_reference
  from payments p
  left join events e on e.account_id = p.account_id and e.number = p.number and e.event = 'payment.refunded'
  where p.status = 'succeeded' or p.status = 'refunded'
  union all
  select p.account_id, p.number, 1, coalesce(p.connection, p.operator, ''), p.amount_xof,
    coalesce(r.ended_at, e.created_at, p.validated_at, p.created_at),
    case when r.refund_reference is null then 'reversal' else 'refund' end, 'refunds', 'receivable', r.refund_reference
  from payments p
  left join events e on e.account_id = p.account_id and e.number = p.number and e.event = 'payment.refunded'
  left join refunds r on r.account_id = p.account_id and r.number = p.number and r.status = 'succeeded'
    and r.request_reference is null
  where p.status = 'refunded'
) as settled;

insert into ledger_heads (account_id, last_entry)
select account_id, max(entry) from ledger_entries group by account_id;
