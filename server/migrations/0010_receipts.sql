-- Works with servers that know 0001_initial.

-- The key of the codes on receipts, sealed: it stays the same when the master key is rotated, so that printed receipts keep their codes.
create table receipt_keys (
  key_id      text not null primary key,
  receipt_key text not null
);

-- The merchant's alias at PI-SPI, for the QR code on posters; null without one.
alter table merchant_profiles add column pi_alias text;
