-- Works with servers that know 0002_search.

-- An account's refunds, the newest first: all of them, and those of one state.
create index refunds_newest on refunds (account_id, created_at, refund_reference);
create index refunds_by_state on refunds (account_id, status, created_at, refund_reference);

-- Where a merchant's SYSCOHADA journal of one connection differs from that of the account; without a row it is the same.
create table connection_journals (
  account_id       text   not null,
  connection       text   not null,
  -- The code of the journal, and the account of the wallet. Empty for those of the account.
  journal          text   not null,
  electronic_money text   not null,
  set_by           text   not null,
  set_at           bigint not null,
  primary key (account_id, connection)
);
