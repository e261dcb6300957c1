-- Every event has its text, every step of a payment's history and every webhook attempt is a row. Before, the usual ones
-- were made from columns of the payment and of the delivery, so a later change of either changed what had been sent.

update events set payload = '{"id":"' || events.event_id || '","event":"' || events.event
  || '","created_at":"' || to_char(to_timestamp(events.created_at / 1000) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || lpad((events.created_at % 1000)::text, 3, '0') || 'Z'
  || '","environment":"' || p.environment
  || '","data":{"public_reference":"' || p.public_reference
  || '","external_reference":' || to_json(p.external_reference)::text
  || ',"reference":"' || p.reference || '","status":"succeeded"'
  || coalesce(',"msisdn":' || case when p.msisdn_written is not null then to_json(p.msisdn_written)::text end, '')
  || ',"amount":' || p.amount_xof
  || ',"validated_at":"' || to_char(to_timestamp(events.created_at / 1000) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || lpad((events.created_at % 1000)::text, 3, '0') || 'Z' || '"'
  || case when p.created_by = 'page' then ',"created_by":"page"' else '' end
  || coalesce(
    case when p.created_by = 'page' then ',"client_reference":' else ',"order_reference":' end
      || case when p.client_reference is not null then to_json(p.client_reference)::text end, '')
  || coalesce(',"meta_data":{"operator":"' || p.operator || '"'
    || coalesce(',"operator_reference":' || case when p.operator_reference <> '' then to_json(p.operator_reference)::text end, '')
    || '}', '')
  || coalesce(',"metadata":' || p.metadata, '')
  || '}}'
from payments p
where events.payload = '' and p.account_id = events.account_id and p.number = events.number;

-- Entries of rows are positive numbers: these come before them, as the first steps of a payment.
insert into payment_story (account_id, number, entry, at, kind, detail)
select account_id, number, -3, accepted_at + accepted_ms, 'request', '{"ms":' || accepted_ms || ',"is":"accepted"}'
from payments where accepted_ms is not null;

insert into payment_story (account_id, number, entry, at, kind, detail)
select account_id, number, -2, validated_at, ended_via,
  '{"ms":' || ended_ms || ',"is":"succeeded","operatorReference":' || to_json(coalesce(operator_reference, ''))::text || '}'
from payments where ended_via is not null;

insert into payment_story (account_id, number, entry, at, kind, detail)
select account_id, number, -1, validated_at, 'moved', '{"from":"pending","to":"succeeded"}'
from payments where ended_via is not null;

insert into webhook_attempts
  (account_id, endpoint_id, sequence, round, attempt, at, duration_ms, status_code, answer, error, next_at)
select account_id, endpoint_id, sequence, round, attempts, ended_at - duration_ms, duration_ms, status_code, answer, null, null
from webhook_deliveries where status_code is not null;

alter table payments drop column accepted_ms;
alter table payments drop column ended_via;
alter table payments drop column ended_ms;
alter table webhook_deliveries drop column status_code;
alter table webhook_deliveries drop column duration_ms;
alter table webhook_deliveries drop column answer;
