// Files that must survive a power cut: both their content and their folder entry are synced.
import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs'

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

/** Never on a database that this process has open: closing any descriptor of a file drops SQLite's locks on it. */
export const syncFile = (file: string): void => synced(file, 'r+')

/** Syncs files created, renamed or linked in it. Windows cannot open folders, and syncs their entries itself. */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') synced(folder, 'r')
}
