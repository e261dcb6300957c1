-- What is due is looked for operator by operator: a backlog at one must not stand before the payments of another.
drop index payments_due;
create index payments_due on payments (environment, operator, due_at) where due_at is not null;
