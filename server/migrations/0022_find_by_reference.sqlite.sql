-- Payments are also found by the operator's reference (domain/search-terms.ts) and by the beginning of an order's id. The worker indexes every
-- payment again.
delete from payment_search;
update payment_summaries set indexed_number = -1;
