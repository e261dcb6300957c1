// In the process of every test file (node --import): when its tests are over and the process still does not end, it
// prints the open handles and fails. --test-timeout ends tests, not processes: a server that a failed test left
// listening would block the whole run.
import { after } from 'node:test'

/** For resources that the file's own hooks close after its last test. */
const PATIENCE_MS = 60_000

after(() => {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ')
    process.stderr.write(`The tests of this file are over, and a minute later something is still open: ${open}\n`)
    process.exit(1)
  }, PATIENCE_MS).unref()
})
