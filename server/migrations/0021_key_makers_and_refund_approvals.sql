-- Works beside servers that know 0020_attempt_amounts.

-- The person who made or rolled the key in the dashboard; null for keys of a command.
alter table api_keys add column made_by text;
-- Keys of earlier versions: the audit log has their makers.
update api_keys set made_by = (
  select min(case when l.actor like 'owner per_%' then substr(l.actor, 7) when l.actor like 'developer per_%' then substr(l.actor, 11) end)
  from audit_log l
  where l.account_id = api_keys.account_id
    and ((l.action = 'keys.make' and l.subject = api_keys.key_id)
      or (l.action = 'keys.roll' and l.detail like '%"to":"' || api_keys.key_id || '"%'))
);

-- The reference that the refund has once it is approved; null for other approvals, and for those that an older server asked for.
alter table approvals add column refund_reference text;
