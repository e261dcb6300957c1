// Where the server of this data folder listens, in a file for commands on the same machine. Removed
// when the server stops; a file left by a crash is ignored.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Written = { address: string; pid: number }

const fileIn = (dataDir: string): string => join(dataDir, 'server.json')

/** Returns a function that removes it, unless another server has written there since. */
export function writeServerAddress(dataDir: string, listening: string): () => void {
  // All addresses of a machine include its own.
  const address = listening.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//[::1]')
  const file = fileIn(dataDir)
  const written: Written = { address, pid: process.pid }
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(written)}\n`, { mode: 0o600 })
    renameSync(`${file}.${process.pid}`, file)
  } catch {
    // With PostgreSQL and KARBA_MASTER_KEY a server needs no folder; commands then go by the
    // settings.
  }
  return () => {
    if (read(dataDir)?.pid === process.pid) rmSync(file, { force: true })
  }
}

/** Undefined when no server of this folder runs on this machine. */
export function findServerAddress(dataDir: string): string | undefined {
  const written = read(dataDir)
  return written !== undefined && isRunning(written.pid) ? written.address : undefined
}

function read(dataDir: string): Written | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Written
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It runs, under another user.
    return (error as { code?: string }).code === 'EPERM'
  }
}
