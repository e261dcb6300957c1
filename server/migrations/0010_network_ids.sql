-- Works with servers that know 0002_search.

-- Which of our requests a network's own id belongs to. Two requests with one id would both prompt for the same transaction. An old store may have
-- such: the first one keeps the id, and `karba verify` names the others.
create table network_ids (
  environment       text not null,
  connection        text not null,
  network_id        text not null,
  -- Of the payment, or of the attempt on its link.
  request_reference text not null,
  primary key (environment, connection, network_id)
);

insert into network_ids (environment, connection, network_id, request_reference)
select p.environment, coalesce(p.connection, p.operator), p.network_id, coalesce(p.attempt_reference, p.reference)
from payments p
where p.network_id is not null and p.operator is not null
order by p.number
on conflict do nothing;

insert into network_ids (environment, connection, network_id, request_reference)
select p.environment, coalesce(t.connection, t.operator), t.network_id, t.reference
from payment_attempts t join payments p on p.account_id = t.account_id and p.number = t.number
where t.network_id is not null
order by t.created_at
on conflict do nothing;
