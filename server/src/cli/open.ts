// What commands share: opening the store of the settings, naming what is in it, waiting, and speaking to a person or to a program.
import { text } from 'node:stream/consumers'
import type { NotDone } from '../actions/webhooks/add-endpoint.ts'
import type { EndpointName } from '../actions/webhooks/change-endpoint.ts'
import { readConfig } from '../config.ts'
import { openRuntime, patientClock, type Runtime } from '../service/runtime.ts'
import type { Database } from '../store/engine/database.ts'
import { accountOfEndpoint } from '../store/webhooks/endpoints.ts'

/** Who did it, in the audit log. */
export const ACTOR = 'cli'

/** Something a person can mend: shown as one sentence. */
export class CommandFailed extends Error {
  override name = 'CommandFailed'
}

export const noSuchAccount = (accountId: string): CommandFailed =>
  new CommandFailed(`There is no account ${accountId}. \`karba merchant list\` shows them all.`)

/** An endpoint's name is enough: its account is looked up. */
export async function endpointNamed(db: Database, endpointId: string): Promise<EndpointName> {
  const accountId = await accountOfEndpoint(db, endpointId)
  if (accountId !== undefined) return { accountId, endpointId }
  throw new CommandFailed(`There is no endpoint ${endpointId}. \`karba webhook list\` shows them all.`)
}

/** What an action refuses is shown as it says it. */
export function done<T extends object>(outcome: T | NotDone): T {
  if ('because' in outcome) throw new CommandFailed(outcome.because)
  return outcome
}

/** `-` stands for standard input, so that a secret stays out of the shell's history and of the list of processes. */
export async function secretOf(given: string): Promise<string> {
  if (given !== '-') return given
  if (process.stdin.isTTY) process.stderr.write('Type or paste it, then press Enter and Ctrl-D.\n')
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}

/** Keeps the process alive; ends sooner when it is called off. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = (): void => resolve()
  const cancel = patientClock.after(ms, end)
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end)
  return promise.finally(() => {
    cancel()
    signal?.removeEventListener('abort', end)
  })
}

export async function withRuntime<T>(work: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await openRuntime(readConfig(process.env))
  try {
    return await work(runtime)
  } finally {
    await runtime.close()
  }
}

/** One JSON value for programs, lines for people. */
export function say(json: boolean | undefined, value: unknown, lines: string[]): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`)
}

/** Columns as wide as their widest cell. */
export function table(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  )
}

export const isoTime = (ms: number): string => new Date(ms).toISOString()
