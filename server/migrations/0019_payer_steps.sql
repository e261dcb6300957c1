-- What a provider gave for an attempt, as JSON: {"goTo": …} or {"instructions": …}. Before, only the address of its page.
alter table payment_attempts add column payer_step text;
update payment_attempts set payer_step = '{"goTo":"' || replace(provider_url, '\', '\\') || '"}' where provider_url is not null;
alter table payment_attempts drop column provider_url;
