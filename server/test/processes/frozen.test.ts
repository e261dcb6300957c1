// Promise 24, quick form: a worker that is stopped, and database connections that go silent, with real processes on one PostgreSQL.
import { it } from 'node:test'
import { tried, tries } from '../kit/tries.ts'
import { runFrozenWorker, runSilentConnections } from './frozen.ts'

const ROUNDS = tries(1, 25)

it('a frozen worker holds up nobody for longer than 15 seconds, and sends nothing twice when it wakes', async () => {
  await runFrozenWorker(ROUNDS, 100)
  tried(ROUNDS)
})

it('when all connections to the database go silent, creates and outcomes go on within 15 seconds', async () => {
  await runSilentConnections(ROUNDS, 50)
  tried(ROUNDS)
})
