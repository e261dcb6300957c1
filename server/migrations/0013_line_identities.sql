-- Works with servers that know 0002_search.

-- What a line is by the network's own reference: type, amount with its sign, day, the reference, and which of several equal lines of its file it
-- is. So a line is one in every form of a statement. Null without a reference; `identity` stays, for exact repeats and for older servers.
alter table statement_lines add column network_identity text;

update statement_lines set network_identity = found.identity
from (
  select environment, connection, line_number,
    type || ' ' || amount_xof || ' ' || day || ' ' || plain || ' '
      || row_number() over (partition by environment, connection, type, amount_xof, day, plain order by line_number) as identity
  from (
    select environment, connection, line_number, type, amount_xof, day,
      case when lower(trim(network_reference)) like '%.0'
        then substr(lower(trim(network_reference)), 1, length(trim(network_reference)) - 2)
        else lower(trim(network_reference)) end as plain
    from statement_lines) as lines
  where length(plain) >= 5 and length(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    plain, '0', ''), '1', ''), '2', ''), '3', ''), '4', ''), '5', ''), '6', ''), '7', ''), '8', ''), '9', '')) < length(plain)
) as found
where statement_lines.environment = found.environment and statement_lines.connection = found.connection
  and statement_lines.line_number = found.line_number;

create index statement_lines_reference on statement_lines (environment, connection, network_identity)
  where network_identity is not null;
