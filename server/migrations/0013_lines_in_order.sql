-- Lines are found and stored in the order of their time: a million lines cost no more each than a thousand (ADR-0019).

-- Identities began with a hash: each new line changed another page of the index.
update statement_lines set identity = cast(booked_at as text) || ' ' || identity;

-- Whether the wallet had a balance after some line.
create index statement_lines_balance on statement_lines (environment, connection, balance_xof) where balance_xof is not null;
-- The openings of files that do not follow.
create index book_exceptions_openings on book_exceptions (environment, connection)
  where kind = 'balance_does_not_add_up' and resolved_at is null;
