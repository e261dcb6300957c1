-- Works beside servers that know 0020_attempt_amounts.

-- The network's own id of a request: FedaPay's number of a transaction. It is kept before the call that can move money, so a request without one
-- was never sent to a network that has such ids. Null at other networks, and for requests of older servers.
alter table payments add column network_id text;
alter table payment_attempts add column network_id text;
