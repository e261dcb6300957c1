-- Works with servers that know 0002_search.

-- The entry that this one corrects, or whose amount it explains. Null for one that stands by itself.
alter table ledger_entries add column corrects bigint;
-- What a line of a statement has booked.
create index ledger_entries_line on ledger_entries (account_id, connection, line_number) where line_number is not null;

-- The differences of a line.
create index book_exceptions_line on book_exceptions (environment, connection, line_number) where line_number is not null;
-- What the difference was, as a person said; null while that is open, and for a difference that left nothing to explain.
alter table book_exceptions add column reason text;
-- What a later line may explain after all.
create index book_exceptions_reason on book_exceptions (account_id, number) where reason is not null;

-- Each time that a person said what a difference was, with the entries that followed. A reason that was wrong is
-- reversed, and the next one has the next number.
create table closings (
  exception_id text   not null,
  closing      bigint not null,
  reason       text   not null,
  -- Null for a line that is in no account's books.
  account_id   text,
  -- The entries of the account; null where nothing was booked.
  first_entry  bigint,
  last_entry   bigint,
  closed_at    bigint not null,
  closed_by    text   not null,
  note         text   not null,
  -- By a person with another reason, or by a line that came later.
  reversed_at  bigint,
  reversed_by  text,
  primary key (exception_id, closing)
);

-- Closing a difference booked nothing before. Those that a person closed are open again where their money is still
-- unexplained or on its way; a line of late money that was accepted since is judged again at once.
update book_exceptions set resolved_at = null, due_at = case when kind in ('paid_although_failed', 'too_early') then 0 end
where resolved_at is not null and account_id is not null and resolved_by not like 'service:%'
  and (kind = 'settled_amount_differs' or kind in ('missing_here', 'amount_differs', 'duplicate_line',
      'paid_although_failed', 'refund_without_payment', 'too_early')
    and exists (select 1 from statement_lines l where l.environment = book_exceptions.environment
      and l.connection = book_exceptions.connection and l.line_number = book_exceptions.line_number and l.is_matched = 0));
