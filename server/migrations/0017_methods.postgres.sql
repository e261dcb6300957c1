-- The method of a payment, its connection in one column, and one name for the count of polls.

-- How the payer pays. `operator` is what the API calls the operator: on a link that is paid on a provider's page, the name of the method (D-216).
-- Null on a link until a payer has chosen; a payment of the API is always by mobile money.
alter table payments add column method text default 'mobile';
update payments set method = operator where operator in ('bank_card', 'wallet');
update payments set method = null where operator is null;

-- A connection is always written. Before, an operator's name stood for it.
update payments set connection = operator where connection is null and operator is not null;
update payment_attempts set connection = operator where connection is null;
update rechecks set connection = operator where connection is null;

drop index payments_due;
-- By connection, so that a backlog at one does not delay the others; by whether it was sent, so that status requests do not delay sending where
-- a network limits requests; by account, so that merchants take turns.
create index payments_due on payments
  (environment, connection, (case when handed_over_at is null then 0 else 1 end), account_id, due_at)
  where due_at is not null;

-- Status requests since the hand-over: decides when to ask next.
alter table payments rename column asked_times to polls;
alter table refunds rename column asked_times to polls;

-- The methods are listed in the code alone.
alter table payment_attempts drop constraint payment_attempts_method_check;
