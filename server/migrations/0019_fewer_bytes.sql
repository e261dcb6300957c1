-- The usual history of a payment and the usual attempt of a delivery are columns instead of rows, and the event of a success is stored without
-- its text, which the payment gives. Rows that are there stay as they are. Servers that do not know this migration would send empty events.

-- How long the operator took to accept the request; null where payment_story has that entry, or none was accepted.
alter table payments add column accepted_ms bigint;
-- The report of the success: by which call it came (request, status or callback), and how long that took; null where payment_story has it.
alter table payments add column ended_via text;
alter table payments add column ended_ms bigint;

-- The attempt that delivered it; null where webhook_attempts has it.
alter table webhook_deliveries add column status_code bigint;
alter table webhook_deliveries add column duration_ms bigint;
alter table webhook_deliveries add column answer text;
