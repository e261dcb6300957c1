-- Which events an endpoint wants: a row for each, where there was a text with commas between that had to be searched.
create table webhook_subscriptions (
  account_id   text not null,
  endpoint_id  text not null,
  event        text not null,
  primary key (account_id, endpoint_id, event),
  foreign key (account_id, endpoint_id) references webhook_endpoints (account_id, endpoint_id) on delete cascade
);

insert into webhook_subscriptions (account_id, endpoint_id, event)
select account_id, endpoint_id, event
from webhook_endpoints
join (
  select 'payment.succeeded' as event
  union all select 'payment.failed'
  union all select 'payment.refunded'
) as known on ',' || events || ',' like '%,' || event || ',%';

-- The list stays in webhook_endpoints while processes of the version before may run beside this one.
