// The entry point of the command `karba`.
import { enableCompileCache } from 'node:module'

// Compiled code is cached between calls: measured, less than half of the CPU of a command.
enableCompileCache()
const { runKarba } = await import('./run-karba.ts')
// A reader such as `head` that has enough is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})
process.exitCode = await runKarba(process.argv.slice(2), process)
