// Promise 24, quick form: a worker that is stopped, and database connections that go silent, with real processes on one PostgreSQL.
import { it } from 'node:test'
import { runFrozenWorker, runSilentConnections } from './frozen.ts'

it('a frozen worker holds up nobody for longer than 15 seconds, and sends nothing twice when it wakes', () =>
  runFrozenWorker(1, 100))

it('when all connections to the database go silent, creates and outcomes go on within 15 seconds', () =>
  runSilentConnections(1, 50))
