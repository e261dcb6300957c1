-- Works beside servers that know 0018_minute_figures.

-- Changes no table. A database that is made from now on shuffles its payments' codes in a quicker way (D-123), and then needs servers that know
-- this migration: an older one would give other codes. In a database that was made before, codes stay as they are.
