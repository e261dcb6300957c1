// The entry point of the command `karba`; its subcommands are in commands.ts.
import { enableCompileCache } from 'node:module'

// Compiled code is cached between calls: measured, less than half of the CPU of a command.
enableCompileCache()
const { runProgram } = await import('./program.ts')
await runProgram()
