// Promise 25, quick form: machines whose clocks are off, as real processes on one PostgreSQL.
import { it } from 'node:test'
import { runSkewedClock } from './skewed-clocks.ts'

it('a worker half an hour ahead claims nothing, and the others do its work', () => runSkewedClock('worker', 31, 100))

it('merchants are answered by a process an hour behind, and every payment gets its real outcome', () =>
  runSkewedClock('api', -60, 100))
