-- Payments are found through lists of their numbers, one list for each search term (domain/search-terms.ts, domain/number-list.ts). The worker
-- writes it (ADR-0016).
create table payment_search (
  account_id   text   not null,
  term         text   not null,
  -- A payment's number is in the row with the highest first_number that is not above it.
  first_number bigint not null,
  numbers      text   not null,
  primary key (account_id, term, first_number)
) with (fillfactor = 80);

-- Only in this collation are ids with the same beginning next to each other in an index.
alter table payments alter column external_reference type text collate "C";
alter table orders alter column order_reference type text collate "C";
