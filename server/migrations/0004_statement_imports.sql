-- Works with servers that know 0002_search.

-- A hash of the columns by which its lines were read, so that the file can be read again when these have changed. Null for files of older
-- servers.
alter table statement_files add column read_by text;

-- The lines of a file, to read it again or to take it back.
create index statement_lines_file on statement_lines (file_id, row_number);
