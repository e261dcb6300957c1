-- Refunds in part: several refunds of a payment, each with its own amount (D-154).

-- What the payment's own refunds take that have not failed: guarded in each request, so that it never exceeds the amount.
alter table payments add column refund_reserved_xof bigint not null default 0;
-- What those that succeeded gave back. The payment is refunded when it reaches the amount.
alter table payments add column refunded_xof bigint not null default 0;

alter table refunds add column amount_xof bigint not null default 0;
-- The merchant's own name of the refund: a repeated request returns the first one. Null without one.
alter table refunds add column refund_id text;
-- Since when a second person must approve it; null when none must, and after the approval.
alter table refunds add column approval_since bigint;

-- Late money is given back whole: the amount of the attempt that it was paid by.
update refunds set amount_xof = coalesce(
  (select t.amount_xof from payment_attempts t where t.account_id = refunds.account_id and t.number = refunds.number
    and t.reference = refunds.request_reference),
  (select p.amount_xof from payments p where p.account_id = refunds.account_id and p.number = refunds.number), 0);

-- A refund has its row from the request on, also while it waits for an approval.
insert into refunds (account_id, number, refund_reference, status, failure_reason, requested_by, created_at, ended_at,
  amount_xof, approval_since)
select a.account_id, p.number, a.refund_reference,
  case when a.state = 'waiting' then 'pending' else 'failed' end,
  case when a.state = 'waiting' then null else 'approval_rejected' end,
  a.asked_by, a.asked_at, a.decided_at, p.amount_xof, a.asked_at
from approvals a join payments p on p.account_id = a.account_id and p.reference = a.subject
where a.kind = 'approve_refund' and a.refund_reference is not null
  and (a.state = 'rejected' or (a.state = 'waiting' and p.status = 'succeeded'
    and not exists (select 1 from refunds r where r.account_id = p.account_id and r.number = p.number
      and r.request_reference is null and r.status <> 'failed')))
  and not exists (select 1 from refunds r where r.refund_reference = a.refund_reference);

update payments set
  refund_reserved_xof = (select coalesce(sum(r.amount_xof), 0) from refunds r where r.account_id = payments.account_id
    and r.number = payments.number and r.request_reference is null and r.status <> 'failed'),
  refunded_xof = (select coalesce(sum(r.amount_xof), 0) from refunds r where r.account_id = payments.account_id
    and r.number = payments.number and r.request_reference is null and r.status = 'succeeded')
where (account_id, number) in (select r.account_id, r.number from refunds r where r.request_reference is null);

-- Late money has at most one refund that has not failed, as before.
drop index refunds_one;
create unique index refunds_late on refunds (account_id, number, request_reference)
  where request_reference is not null and status <> 'failed';
create unique index refunds_named on refunds (account_id, number, refund_id) where refund_id is not null;

-- Each refund of a payment has its own approval.
drop index approvals_waiting;
create unique index approvals_waiting on approvals (kind, subject, coalesce(refund_reference, '')) where state = 'waiting';

-- The simulated network took one refund of a payment.
create table simulated_refunds_in_part (
  refund_reference text   not null primary key,
  reference        text   not null,
  amount_xof       bigint not null,
  requested_at     bigint not null
);
insert into simulated_refunds_in_part (refund_reference, reference, amount_xof, requested_at)
select refund_reference, reference, amount_xof, requested_at from simulated_refunds;
drop table simulated_refunds;
alter table simulated_refunds_in_part rename to simulated_refunds;
create index simulated_refunds_payment on simulated_refunds (reference);
