-- Payments are found through lists of numbers in place of one row for each term of each payment (domain/number-list.ts). The worker indexes
-- every payment again.
drop table payment_search;
create table payment_search (
  account_id   text   not null,
  term         text   not null,
  -- A payment's number is in the row with the highest first_number that is not above it.
  first_number bigint not null,
  numbers      text   not null,
  primary key (account_id, term, first_number)
) with (fillfactor = 80);
update payment_summaries set indexed_number = -1;
