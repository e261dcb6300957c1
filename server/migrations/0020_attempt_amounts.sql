-- Works beside servers that know 0018_minute_figures.

-- What the payer was asked for by this attempt: on a link without an amount each attempt may be over another one, and the payment has that of the
-- latest. Null in an attempt that an older server began: the payment's.
alter table payment_attempts add column amount_xof bigint;
