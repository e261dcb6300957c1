-- Works beside servers that know 0009_late_money.

-- When the operator first said that it has the payment. From then on nothing is concluded from its silence, nor from its forgetting it.
alter table payments add column accepted_at bigint;

-- By account, so that the merchants of one operator are served in turn: a merchant with a long backlog does not stand before the others.
drop index payments_due;
create index payments_due on payments (environment, operator, account_id, due_at) where due_at is not null;
