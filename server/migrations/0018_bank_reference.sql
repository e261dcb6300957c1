-- Works with servers that know 0006_statements_out.
-- The bank's own reference of a settlement's credit, as the merchant read it on the bank's statement; empty without one.
alter table settlement_receipts add column bank_reference text not null default '';
