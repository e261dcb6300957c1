-- Works beside servers that know 0020_attempt_amounts.

-- Connections that a network refuses for our configuration. They take no new payments but probes; the first that the network accepts removes the row.
create table connection_refusals (
  environment text   not null,
  connection  text   not null,
  -- Whose payers: a connection to an aggregator may be enabled for one operator and not for another.
  operator    text   not null,
  -- settings, form or outcome.
  kind        text   not null,
  since       bigint not null,
  refused_at  bigint not null,
  -- What the network said and what to change.
  why         text   not null,
  primary key (environment, connection, operator)
);
