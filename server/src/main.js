// The process: reads the settings, starts the service. A start that fails for a reason the user can
// correct prints one sentence on stderr. Plain JavaScript: Node then loads its TypeScript compiler,
// 17 MB, only while nothing is cached.
import { writeSync } from 'node:fs'
import { enableCompileCache } from 'node:module'

// Compiled code is cached between starts, so that the first answer comes sooner.
enableCompileCache()
const { isStartRefusal } = await import('./service/runtime.ts')
const { readConfigOfProcess, startServer } = await import('./service/start.ts')

try {
  await startServer(readConfigOfProcess())
} catch (error) {
  // Written synchronously: an asynchronous stream could lose it when the process exits.
  writeSync(
    2,
    isStartRefusal(error) ? `Karba cannot start: ${error.message}\n` : `${error.stack}\n`,
  )
  process.exit(1)
}
