// The thread that does large writes to SQLite, beside the event loop (store/engine/thread-writes.ts): inserts, and recording what operators report.
import { recordReports } from '../actions/payments/record-outcomes.ts'
import { serveWrites } from '../store/engine/serve-writes.ts'
import { realRandom } from './real-random.ts'

serveWrites([recordReports(realRandom)])
