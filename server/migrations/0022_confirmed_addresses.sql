-- Works beside servers that know 0020_attempt_amounts.

-- The address that a person signed up with and has not confirmed. Until then people.email holds the person's id, so that nobody holds an address
-- without its mailbox, and any number of people may have signed up with the same one. Null once it is confirmed.
alter table people add column unconfirmed_email text;
create index people_unconfirmed on people (unconfirmed_email) where unconfirmed_email is not null;

-- People who signed up before this version, and have proved their mailbox neither by an invitation nor by a password reset, confirm it now. Those whose
-- merchant was validated for live were looked at by a person.
update people set unconfirmed_email = email, email = person_id
where service_role is null and removed_at is null
  and person_id in (select substr(actor, 8) from audit_log where action = 'merchant.sign_up')
  and person_id not in (select subject from audit_log where action in ('team.join', 'person.password_reset'))
  and person_id not in (
    select w.person_id from merchant_people w join accounts a on a.merchant_id = w.merchant_id
    where a.environment = 'live' and a.status <> 'unvalidated');
