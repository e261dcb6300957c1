// The entry point of the command `karba`.
import { enableCompileCache } from 'node:module'

// Compiled code is cached between calls: measured, less than half of the CPU of a command.
enableCompileCache()
const { reportStopped, runKarba } = await import('./run-karba.ts')
// A reader such as `head` that has enough is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})
const args = process.argv.slice(2)
// Node emits it when nothing is left that could end the command.
const stopped = (): void => {
  process.exitCode = reportStopped(args, process)
}
process.once('beforeExit', stopped)
process.exitCode = await runKarba(args, process)
process.off('beforeExit', stopped)
