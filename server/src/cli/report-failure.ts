// Prints why a command failed on stderr, and returns its exit code: 2 for a usage error, else 1. A sentence for people; with --json one
// object for programs, whatever the error is.
import { CommanderError } from 'commander'
import { startRefusalOf } from '../service/runtime.ts'
import { failureFields } from '../wire/command-output.ts'
import { CommandFailed } from './command-failed.ts'
import { jsonText } from './print.ts'

export function reportFailure(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) {
    // Commander ends --help and --version with an error too.
    if (error.exitCode === 0) return 0
    // Without --json, Commander has printed the message already.
    if (json) writeJson('usage', error.message.replace(/^error: /, ''), {})
    return 2
  }
  const { message, stack } = error as Error
  const code = error instanceof CommandFailed ? error.code : startRefusalOf(error)
  // An error without a code is a bug: print the stack.
  if (json)
    writeJson(code ?? 'unexpected', message, error instanceof CommandFailed ? error.facts : code ? {} : { stack })
  else process.stderr.write(code === undefined ? `${stack}\n` : `karba: ${message}\n`)
  return 1
}

function writeJson(code: string, message: string, facts: object): void {
  process.stderr.write(`${jsonText(failureFields(code, message, facts))}\n`)
}
