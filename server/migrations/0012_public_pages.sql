-- Works beside servers that know 0010_clocks_and_turns.

-- What somebody without a key can do: a page's word claims nothing of the account's, and prompts from pages are limited (D-57, D-60).

-- Who made a link's payment: null for the merchant, `order` for a page with an order that the merchant's server signed, `page` for a page
-- alone. client_reference is what that order or page calls it: not unique, and nothing is found by it.
alter table payments add column created_by text;
alter table payments add column client_reference text;

-- What a server signs orders with: derived from the secret key, sealed. Null for public keys, and for secret keys that were issued before.
alter table api_keys add column order_key text;

-- The number that was prompted, for the limits of D-60. Null when nobody's phone rings: a provider's page, a test number.
alter table payment_attempts add column environment text;
alter table payment_attempts add column msisdn text;
-- The account, when the link was made by a page alone: anybody can make any number of those.
alter table payment_attempts add column page_account text;
-- A hash of what the browser that began the attempt was given: only that browser can abandon it.
alter table payment_attempts add column browser_hash text;

create index payment_attempts_number on payment_attempts (environment, msisdn, created_at) where msisdn is not null;
create index payment_attempts_page on payment_attempts (page_account, created_at) where page_account is not null;

-- A row for each number and account whose limit was ever looked at. A transaction that begins an attempt locks its rows first, so that of two
-- processes that look at the same time one sees what the other did.
create table prompt_guards (
  name text   not null primary key,
  at   bigint not null
);

-- Whether the account's pages work at all, its own words for links that its pages make, and whether the page's words are shown beside them.
alter table accounts add column pages text not null default 'on' check (pages in ('on', 'off'));
alter table accounts add column page_wording text not null default '';
alter table accounts add column page_titles text not null default 'shown' check (page_titles in ('shown', 'hidden'));
