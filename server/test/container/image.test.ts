// The image is built without a container engine (deploy/build-image.sh), and its root is started as
// its user would: read-only, as `node`, without capabilities.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SERVED_DOCUMENTS } from '../../src/site/served-documents.ts'
import { freePort } from '../kit/process.ts'
import { head, order } from '../kit/service.ts'
import { until, within } from '../kit/waiting.ts'

const SCRIPT = fileURLToPath(new URL('../../../deploy/build-image.sh', import.meta.url))
const TOOLS = ['/usr/bin/buildah', '/usr/bin/mmdebstrap']
const NODE_USER = 1000

/**
 * A build takes one minute on two idle cores. With other tests on a busy host it took more than
 * five.
 */
const LONGEST_BUILD_MS = 900_000
/** The packages and sources of Karba, above Debian's and Node's files. */
const MOST_BYTES = 80 * 1024 * 1024

/**
 * As an engine would start it with --read-only --tmpfs /tmp --cap-drop ALL --security-opt
 * no-new-privileges.
 */
const ENTER = `
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount -t tmpfs tmpfs "$1/tmp"
mount --bind "$2" "$1/data" && mount -t proc proc "$1/proc"
exec chroot --userspec=${NODE_USER}:${NODE_USER} "$1" setpriv --no-new-privs env --ignore-environment \
  --chdir=/karba PATH=/usr/local/bin:/usr/bin:/bin HOST=127.0.0.1 KARBA_DATA_DIR=/data PORT="$3" "\${@:4}"`

interface Config {
  User: string
  Cmd: string[]
  Healthcheck?: { Test: string[] }
  Volumes: Record<string, unknown>
}

const isMissing =
  !(process.getuid?.() === 0 && TOOLS.every(existsSync)) && process.env.CI === undefined

const options = {
  skip: isMissing && 'needs root, buildah and mmdebstrap',
  timeout: LONGEST_BUILD_MS + 60_000,
}

describe('container image built without an engine', options, () => {
  let folder: string
  let root: string
  let config: Config

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'karba-image-'))
    const data = join(folder, 'data')
    mkdirSync(data)
    chownSync(data, NODE_USER, NODE_USER)
    execFileSync(SCRIPT, [folder], { timeout: LONGEST_BUILD_MS, stdio: 'pipe' })
    root = join(folder, 'root')
    config = JSON.parse(readFileSync(join(folder, 'image.json'), 'utf8')).Docker.config
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const enter = async (
    ...command: string[]
  ): Promise<{ child: ChildProcess; port: number; printed(): string }> => {
    const port = await freePort()
    const args = [
      '--mount',
      'bash',
      '-ec',
      ENTER,
      'bash',
      root,
      join(folder, 'data'),
      String(port),
      ...command,
    ]
    const child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (printed += chunk))
    return { child, port, printed: () => printed }
  }

  it('container image: runs as node, has a health check and one writable volume, and is small', () => {
    assert.equal(config.User, 'node')
    assert.deepEqual(Object.keys(config.Volumes), ['/data'])
    assert.match(config.Healthcheck?.Test.join(' ') ?? '', /healthz/)
    const bytes = Number(
      execFileSync('du', ['--summarize', '--bytes', join(root, 'karba')], {
        encoding: 'utf8',
      }).split('\t')[0],
    )
    assert.ok(bytes < MOST_BYTES, `${bytes} bytes`)
  })

  it('container image: has no test, no development package and no file that its user may write', () => {
    for (const absent of [
      'server/test',
      'node_modules/typescript',
      'node_modules/vite',
      'sdk/src',
      'clients/php/src',
      'docs/adr',
      '.git',
    ])
      assert.ok(!existsSync(join(root, 'karba', absent)), absent)
    const writable = execFileSync('find', [join(root, 'karba'), '-user', String(NODE_USER)], {
      encoding: 'utf8',
    })
    assert.equal(writable, '')
  })

  it('container image: takes a payment without rights on a read-only root, serves the documents, and stops at SIGTERM', async () => {
    const server = await enter(...config.Cmd)
    try {
      const secretKey = await until('demo key', () => /sk_sandbox_\w+/.exec(server.printed())?.[0])
      const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
      assert.match(status, /^Uid:\t1000\t1000\t1000\t1000$/m)
      assert.match(status, /^CapEff:\t0+$/m)
      assert.match(status, /^NoNewPrivs:\t1$/m)
      const touch = await enter('touch', '/karba/x')
      await within('end of touch', once(touch.child, 'close'))
      assert.match(touch.printed(), /Read-only file system/)

      const payments = `http://127.0.0.1:${server.port}/api/v1/payments`
      const headers = head(secretKey)
      const created = await fetch(payments, {
        method: 'POST',
        headers,
        body: JSON.stringify(order()),
      })
      assert.equal(created.status, 200)
      const { reference } = (await created.json()) as { reference: string }
      await until('outcome', async () => {
        const read = await fetch(`${payments}/${reference}`, { headers })
        return ((await read.json()) as { status: string }).status === 'succeeded'
      })
      for (const { address } of [{ address: '/llms.txt' }, ...SERVED_DOCUMENTS]) {
        const document = await fetch(`http://127.0.0.1:${server.port}${address}`)
        assert.equal(document.status, 200, address)
        assert.match(await document.text(), /^# /)
      }
      const exited = once(server.child, 'exit')
      server.child.kill('SIGTERM')
      assert.deepEqual(await within('end after SIGTERM', exited), [0, null], server.printed())
    } finally {
      server.child.kill('SIGKILL')
    }
  })
})
