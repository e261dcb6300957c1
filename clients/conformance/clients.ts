// The clients that the kit tests, with the command that starts the driver of each.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface ClientKind {
  name: string
  /** As in `User-Agent`: karba-node. */
  agent: string
  program: string
  /** Arguments that only succeed if the program can run the driver. */
  probe: readonly string[]
  driver: string
  /** For the driver. */
  args?: readonly string[]
  /** Titles of cases that it cannot pass, as its README says. */
  except?: readonly string[]
}

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const PYTHON = ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']

export const CLIENTS: readonly ClientKind[] = [
  {
    name: 'node',
    agent: 'node',
    program: process.execPath,
    probe: ['--version'],
    driver: fileOf('../../sdk/test/conformance-driver.ts'),
  },
  {
    name: 'php',
    agent: 'php',
    program: 'php',
    probe: ['-r', 'exit(extension_loaded("curl") ? 0 : 1);'],
    driver: fileOf('../php/tests/driver.php'),
  },
  {
    // By its adapter for PSR-18, which has no word for a limit on an answer.
    name: 'php-guzzle',
    agent: 'php',
    program: 'php',
    probe: ['-r', 'exit(is_file("/usr/share/php/GuzzleHttp/autoload.php") ? 0 : 1);'],
    driver: fileOf('../php/tests/driver.php'),
    args: ['guzzle'],
    except: ['an answer without end is not read on'],
  },
  {
    name: 'python',
    agent: 'python',
    program: 'python3',
    probe: PYTHON,
    driver: fileOf('../python/tests/conformance_driver.py'),
  },
  {
    name: 'python-asyncio',
    agent: 'python',
    program: 'python3',
    probe: PYTHON,
    driver: fileOf('../python/tests/conformance_driver.py'),
    args: ['asyncio'],
  },
]

/** Whether this machine can run it: its language may be missing. */
export function isRunnable({ program, probe, driver }: ClientKind): boolean {
  try {
    execFileSync(program, probe, { stdio: 'ignore' })
    return existsSync(driver)
  } catch {
    return false
  }
}
