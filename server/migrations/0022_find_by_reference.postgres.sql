-- Payments are also found by the operator's reference (domain/search-terms.ts) and by the beginning of an order's id. The worker indexes every
-- payment again.
truncate payment_search;
update payment_summaries set indexed_number = -1;
-- Only in this collation do ids with the same beginning stand together in an index.
alter table payments alter column external_reference type text collate "C";
alter table orders alter column order_reference type text collate "C";
