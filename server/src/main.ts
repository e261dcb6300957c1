// The process: settings, service, listen, stop. What can go wrong for the person who starts it is one sentence on stderr.
import { writeSync } from 'node:fs'
import { enableCompileCache } from 'node:module'

// Compiled code is kept between starts, so that the first answer comes sooner.
enableCompileCache()
const { isStartRefusal } = await import('./service/runtime.ts')
const { readConfigOfProcess, startServer } = await import('./service/start.ts')

try {
  await startServer(readConfigOfProcess())
} catch (error) {
  // Written at once: an asynchronous stream could lose it on the way out.
  writeSync(
    2,
    isStartRefusal(error) ? `Karba cannot start: ${(error as Error).message}\n` : `${(error as Error).stack}\n`,
  )
  process.exit(1)
}
