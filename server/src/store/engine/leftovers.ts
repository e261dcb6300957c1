// Names for files that a command makes and removes, such as an unfinished backup or a restored copy
// with payers' data, and the removal of those that a killed command left. The name says which
// process of which machine uses the file.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/**
 * A container has another name at each run: whether its process still runs, only the age of the
 * file says.
 */
const OLD_ON_OTHER_MACHINE_MS = 24 * 3_600_000

const MACHINE = hostname().replace(/[^\w.]/g, '_')
const NAME = /\.(?:unfinished|snapshot|drill)-karba-([\w.]+)-(\d+)(?:-wal|-shm|-journal)?$/

/** The path of a file or a folder next to `file`, for this process alone. */
export const temporaryPath = (file: string, kind: 'unfinished' | 'snapshot' | 'drill'): string =>
  `${file}.${kind}-karba-${MACHINE}-${process.pid}`

/**
 * Removes what killed commands of this user left in the folder of `file`. Returns the paths that
 * were removed.
 */
export function removeLeftovers(file: string, now: number): string[] {
  const folder = dirname(resolve(file))
  const left = namesIn(folder)
    .filter((name) => NAME.test(name))
    .map((name) => join(folder, name))
    .filter((path) => isLeftover(path, now))
  for (const path of left) rmSync(path, { recursive: true, force: true })
  return left
}

/** None in a folder that is missing or cannot be read: writing into it then says so. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isLeftover(path: string, now: number): boolean {
  const [, machine, pid] = NAME.exec(path) as unknown as [string, string, string]
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (process.getuid !== undefined && found.uid !== process.getuid()))
    return false
  return machine === MACHINE
    ? !runsElsewhere(Number(pid))
    : now - found.mtimeMs > OLD_ON_OTHER_MACHINE_MS
}

/** Whether another process than this one has the number. This one has made nothing yet. */
function runsElsewhere(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
