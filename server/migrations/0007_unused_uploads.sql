-- Works with servers that know 0002_search.

-- The uploads of an account's connections that are not imported are counted and listed.
create index kept_files_source on kept_files (environment, connection, kept_at);
