// Files that must survive a power cut: both their content and their folder entry are synced.
import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs'

/** Fails when the file exists. */
export function writeNewFile(file: string, text: string): void {
  const opened = openSync(file, 'wx', 0o600)
  try {
    writeFileSync(opened, text)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Never on a database that this process has open: closing any descriptor of a file drops SQLite's locks on it. */
export function syncFile(file: string): void {
  const opened = openSync(file, 'r+')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Syncs files created, renamed or linked in it. Windows cannot open folders, and syncs their entries itself. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const opened = openSync(folder, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
