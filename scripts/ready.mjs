// Runs before every npm script: installs the dependencies if they are missing or outdated, so that each command works on a fresh clone.
// It must run on the machine's own Node (20 or later), write only to stderr, and be fast when there is nothing to install.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const installed = join(root, 'node_modules', '.package-lock.json')
const wanted = join(root, 'package-lock.json')

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(wanted).mtimeMs) {
  process.stderr.write('Karba: installing dependencies (once) …\n')
  // npm's output goes to stderr: stdout is the command's own, above all with `--json`.
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const done = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (done.status !== 0) {
    process.stderr.write('Karba: npm ci failed; its message above says why. Mend that and run the command again.\n')
    process.exit(1)
  }
}

// The pinned Node 24 comes with the packages on Linux and Windows; elsewhere the machine's own is used.
const bundled = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
if (!existsSync(bundled) && Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `Karba needs Node 24, and this machine has ${process.version}. Install Node 24 and run the command again.\n`,
  )
  process.exit(1)
}
