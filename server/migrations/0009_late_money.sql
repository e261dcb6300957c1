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
