// The entry point of the command `karba`.
import { enableCompileCache } from 'node:module'

// Compiled code is cached between calls: measured, less than half of the CPU of a command.
enableCompileCache()
const { runKarba } = await import('./run-karba.ts')
process.exitCode = await runKarba(process.argv.slice(2), process)
