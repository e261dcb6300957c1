// The systemd units of deploy/, judged by systemd itself: valid, and the backup as confined as the
// server. The system calls of a backup are all among those that its unit allows.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makePlaceWithAccount } from '../kit/several-processes.ts'
import { SQLITE } from '../kit/stores.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const unitOf = (name: string): string => readFileSync(join(ROOT, 'deploy', name), 'utf8')
const UNITS = readdirSync(join(ROOT, 'deploy')).filter((name) => /\.(service|timer)$/.test(name))

const SYSTEMD = '/usr/bin/systemd-analyze'
const STRACE = '/usr/bin/strace'
const isMissing = (program: string): boolean => !existsSync(program) && process.env.CI === undefined

/** As root, SQLite gives its files to the owner of the database. The units run as `karba`. */
const OF_ROOT = 'fchown'

/** Not part of the confinement: what it may write, and how it runs. */
const OWN =
  /^(Type|User|WorkingDirectory|Environment|EnvironmentFile|Exec\w+|StateDirectory\w*|ReadWritePaths|Nice|IO\w+|Restart\w*|Timeout\w+|Limit\w+|LogRate\w+)=/

/** The settings of [Service] that confine it, as the unit has them. */
function confinementOf(unit: string): string[] {
  const [, service = ''] = /^\[Service\]$([\s\S]*?)(?=^\[|$(?![\s\S]))/m.exec(unit) ?? []
  return service
    .split('\n')
    .filter((line) => /^\w+=/.test(line) && !OWN.test(line))
    .sort()
}

describe('systemd units', () => {
  const folder = mkdtempSync(join(tmpdir(), 'karba-units-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  const analyze = async (args: string[]): Promise<string> => {
    const { stdout, stderr } = await promisify(execFile)(SYSTEMD, args)
    return `${stdout}${stderr}`
  }

  it('systemd units: the backup is confined as the server is', () => {
    const [server, backup] = [unitOf('karba.service'), unitOf('karba-backup.service')].map(
      confinementOf,
    )
    assert.ok((server?.length ?? 0) > 20)
    assert.deepEqual(backup, server)
  })

  const skip = isMissing(SYSTEMD) ? { skip: `${SYSTEMD} is not installed` } : {}

  it('systemd units: systemd finds no fault in them', skip, async () => {
    const files = UNITS.map((name) => join(folder, name))
    for (const [at, name] of UNITS.entries())
      writeFileSync(files[at] as string, unitOf(name).replaceAll('/opt/karba/', ROOT))
    assert.equal(await analyze(['verify', '--man=no', ...files]), '')
  })

  it('systemd units: systemd judges each service as little exposed', skip, async (t) => {
    for (const name of UNITS.filter((each) => each.endsWith('.service'))) {
      const judged = await analyze([
        'security',
        '--offline=true',
        '--no-pager',
        join(ROOT, 'deploy', name),
      ])
      const [, exposure = ''] = /exposure level for \S+: ([\d.]+)/.exec(judged) ?? []
      t.diagnostic(`${name}: ${exposure}`)
      assert.ok(Number(exposure) < 2, judged)
    }
  })

  it('systemd units: the calls of a backup are among the allowed ones', calledSkip(), async () => {
    const backups = join(folder, 'backups')
    mkdirSync(backups)
    const { place } = await makePlaceWithAccount(SQLITE)
    try {
      const called = new Set<string>()
      for (const line of commandsOf(unitOf('karba-backup.service'))) {
        const command = line
          .replaceAll('/opt/karba/', ROOT)
          .replaceAll('/var/backups/karba', backups)
        for (const call of await callsOf(command, place.env)) called.add(call)
      }
      assert.equal(readdirSync(backups).length, 2, 'the backup and its sums')
      assert.ok(called.size > 30)
      const allowed = await callsIn('@system-service')
      for (const call of await callsIn('@privileged')) allowed.delete(call)
      if (process.geteuid?.() === 0) allowed.add(OF_ROOT)
      assert.deepEqual(
        [...called].filter((call) => !allowed.has(call)),
        [],
      )
    } finally {
      await place.remove()
    }
  })

  function calledSkip() {
    return isMissing(STRACE) || isMissing(SYSTEMD)
      ? { skip: 'strace or systemd is not installed' }
      : {}
  }

  /** The shell's command lines of ExecStart and what follows it. */
  function commandsOf(unit: string): string[] {
    const lines = [...unit.matchAll(/^ExecStart(?:Post)?=(.*)$/gm)].map(([, line = '']) => line)
    assert.equal(lines.length, 2)
    return lines.map((line) => line.replaceAll('$$', '$').replaceAll('%%', '%'))
  }

  /** The names of the system calls that the command and its children make. */
  async function callsOf(command: string, env: Record<string, string>): Promise<string[]> {
    const file = join(folder, 'calls')
    const { PATH = '' } = process.env
    const args = ['-f', '-qq', '-c', '-o', file, '/bin/sh', '-c', command]
    await promisify(execFile)(STRACE, args, { env: { PATH, ...env } })
    const lines = readFileSync(file, 'utf8').split('\n')
    const isRow = /^\s*[\d.]+\s+[\d.]+\s+\d+\s+\d+\s+(?:\d+\s+)?(\w+)$/
    return lines.flatMap((line) => isRow.exec(line)?.[1] ?? []).filter((name) => name !== 'total')
  }

  async function callsIn(group: string): Promise<Set<string>> {
    const listed = await analyze(['syscall-filter', '--no-pager', group])
    const names = listed.split('\n').map((line) => line.trim())
    const groups = names.filter((name) => name.startsWith('@') && name !== group)
    const calls = new Set(names.filter((name) => /^\w+$/.test(name)))
    for (const each of groups) for (const call of await callsIn(each)) calls.add(call)
    return calls
  }
})
