-- Payments are also found by the last digits of the payer's number, by digits of an order and by amount (domain/search-terms.ts). The worker
-- indexes every payment again: the old terms hold full numbers, which nothing removes any more.
drop table payment_search;
create table payment_search (
  account_id text   not null,
  term       text   not null,
  number     bigint not null,
  primary key (account_id, term, number)
);
update payment_summaries set indexed_number = -1;
