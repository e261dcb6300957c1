-- Works with servers that know 0002_search.

-- Who says what a statement's file says: `network` (fetched from it), `staff_file` or `merchant_file` (uploaded). Null for files of older
-- servers that run beside this one.
alter table statement_files add column witness text;
update statement_files set witness = case
  when imported_by like 'service: %' then 'network'
  when substr(connection, 1, 4) = 'con_' then 'merchant_file'
  else 'staff_file' end;

-- Who reported the contradiction first. Null for anomalies of older servers.
alter table payment_anomalies add column witness text;
-- The staff's open tasks are listed in turns of accounts.
create index payment_anomalies_open on payment_anomalies (account_id, at, anomaly_id) where resolved_at is null;
