// Runs one command of `karba`. Commands open the same store as a running server and work beside it. report-failure.ts prints errors.
import type { Command } from 'commander'
import { karbaCommand } from './commands.ts'
import { reportFailure } from './report-failure.ts'

/** Runs the command of `process.argv`. It leaves the exit code in `process.exitCode`, undefined on success. */
export async function runProgram(): Promise<void> {
  // Files that a command writes are readable by its own user only, as the server's files are.
  process.umask(0o077)
  const program = await karbaCommand(process.argv[2])
  // Read here and not from Commander, which has no options when it cannot parse the call.
  const wantsJson = process.argv.includes('--json')
  for (const command of everyCommand(program)) {
    // Commander exits with 1 on a usage error; ours is 2.
    command.exitOverride()
    if (wantsJson) command.showHelpAfterError(false).configureOutput({ outputError: () => {} })
  }
  try {
    await program.parseAsync()
  } catch (error) {
    process.exitCode = reportFailure(error, wantsJson)
  }
}

function* everyCommand(command: Command): Generator<Command> {
  yield command
  for (const child of command.commands) yield* everyCommand(child)
}
