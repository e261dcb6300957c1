// The Pythons of this machine, for the tests of the client.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const FOLDER = fileURLToPath(new URL('.', import.meta.url))
/** Debian's, which has Debian's packages. */
export const DEBIAN = '/usr/bin/python3'
const SUPPORTED = 'import sys; sys.exit(sys.version_info < (3, 9))'
/** The machine's own first: its packages are Debian's. */
const NAMES = [DEBIAN, 'python3', ...[9, 10, 11, 12, 13, 14].map((minor) => `python3.${minor}`)]

/** Those that can run the client, each version once. */
export function pythonsOfMachine(): string[] {
  const versions = new Map<string, string>()
  for (const name of NAMES) {
    const version = runs(name, ['-c', `${SUPPORTED}`]) ? versionOf(name) : undefined
    if (version !== undefined && !versions.has(version)) versions.set(version, name)
  }
  return [...versions.values()]
}

const versionOf = (python: string): string =>
  execFileSync(python, ['--version'], { encoding: 'utf8' }).trim()

export function runs(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A machine without a tool skips its tests; with CI set they fail. */
export const unlessMissing = (what: string, isThere: boolean): { skip?: string } =>
  isThere || process.env.CI !== undefined ? {} : { skip: `${what} is not on this machine` }
