// What commands share: opening the store of the settings, and speaking to a person or to a program.
import { type Foundation, openFoundation } from '../compose.ts'
import { readConfig } from '../config.ts'

/** Something a person can mend: shown as one sentence. */
export class CommandFailed extends Error {
  override name = 'CommandFailed'
}

export async function withFoundation<T>(work: (foundation: Foundation) => Promise<T>): Promise<T> {
  const foundation = await openFoundation(readConfig(process.env))
  try {
    return await work(foundation)
  } finally {
    await foundation.close()
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
