// What a failed command leaves on stderr, and its exit code: 1 for what went wrong, 2 for wrong usage. A sentence for people; with --json
// one object for programs, whatever went wrong.
import { CommanderError } from 'commander'
import { startRefusalOf } from '../service/runtime.ts'
import { failureFields } from '../wire/failure.ts'
import { CommandFailed } from './command-failed.ts'

export function reportFailure(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) {
    // Help and the version were asked for.
    if (error.exitCode === 0) return 0
    // For people Commander has written it already.
    if (json) writeJson('usage', error.message.replace(/^error: /, ''), {})
    return 2
  }
  const { message, stack } = error as Error
  const code = error instanceof CommandFailed ? error.code : startRefusalOf(error)
  // Without a code it is a bug, and whoever mends it needs the stack.
  if (json)
    writeJson(code ?? 'unexpected', message, error instanceof CommandFailed ? error.facts : code ? {} : { stack })
  else process.stderr.write(code === undefined ? `${stack}\n` : `karba: ${message}\n`)
  return 1
}

function writeJson(code: string, message: string, facts: object): void {
  process.stderr.write(`${JSON.stringify(failureFields(code, message, facts))}\n`)
}
