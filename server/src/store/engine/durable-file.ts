// Files that must survive a power cut: both their content and their folder entry are synced.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { temporaryPath } from './leftovers.ts'

function synced(path: string, flags: string, write: (opened: number) => void = () => {}): void {
  const opened = openSync(path, flags, 0o600)
  try {
    write(opened)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Fails when the file exists. */
export const writeNewFile = (file: string, text: string): void =>
  synced(file, 'wx', (opened) => writeFileSync(opened, text))

/**
 * Never on a database that this process has open: closing any descriptor of a file drops SQLite's
 * locks on it.
 */
export const syncFile = (file: string): void => synced(file, 'r+')

/**
 * Syncs files created, renamed or linked in it. Windows cannot open folders, and syncs their
 * entries itself.
 */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') synced(folder, 'r')
}

/** Watches a file that grows: `progress` gets its size, `pause` waits between. */
export type FileWatch = { progress(bytes: number): void; pause(): Promise<void> }

/**
 * `write` writes a file that gets its name when it is whole and on disk; a failure leaves none.
 * Returns its size.
 */
export async function writeWhole(
  to: string,
  write: (unfinished: string) => Promise<unknown>,
  { progress, pause }: FileWatch,
): Promise<number> {
  const unfinished = temporaryPath(to, 'unfinished')
  rmSync(unfinished, { force: true })
  try {
    let isWriting = true
    const writing = write(unfinished).finally(() => {
      isWriting = false
    })
    while (isWriting) {
      await Promise.race([writing, pause()])
      progress(existsSync(unfinished) ? statSync(unfinished).size : 0)
    }
    await writing
    syncFile(unfinished)
    renameSync(unfinished, to)
    syncFolder(dirname(to))
    return statSync(to).size
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}
