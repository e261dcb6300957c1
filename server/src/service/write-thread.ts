// The thread that does large writes to SQLite, beside the event loop (store/engine/thread-writes.ts): inserts, recording what
// operators report, and following accounts.
import { summariseSlice } from '../actions/figures/summarise-account.ts'
import { recordReports } from '../actions/payments/record-outcomes.ts'
import { serveWrites } from '../store/engine/serve-writes.ts'
import { realRandom } from './real-random.ts'

serveWrites([recordReports(realRandom), summariseSlice])
