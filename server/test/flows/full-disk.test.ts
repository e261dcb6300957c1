// Promise 8, quick form: SQLite's disk takes no more. Creates get 503 and leave nothing behind, reads go on, and with
// room again everything works without a restart. Each fault is the system's own; a machine that cannot make one has it
// not.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Answer, get, openTestService, order, post } from '../kit/service.ts'

const MOST_CREATES = 5_000
const BLOCK = Buffer.alloc(4_096)

interface Disk {
  folder: string
  /** From here on no file of the store can grow. */
  fill(): void
  makeRoom(): void
  remove(): void
}

interface Fault {
  name: string
  /** Undefined where the machine or the user cannot make it. */
  makeDisk(): Disk | undefined
}

const succeeds = (command: string, args: string[]): boolean => spawnSync(command, args).status === 0
const makeFolder = (): string => mkdtempSync(join(tmpdir(), 'karba-disk-'))

const FAULTS: readonly Fault[] = [
  {
    // Takes the right to mount: root, as in most containers.
    name: 'a disk that is full',
    makeDisk() {
      const folder = makeFolder()
      const mounted = succeeds('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'karba-test', folder])
      if (!mounted) {
        rmSync(folder, { recursive: true })
        return undefined
      }
      const ballast = join(folder, 'ballast')
      return {
        folder,
        fill() {
          const file = openSync(ballast, 'w')
          assert.throws(
            () => {
              for (;;) writeSync(file, BLOCK)
            },
            { code: 'ENOSPC' },
          )
          closeSync(file)
        },
        makeRoom: () => rmSync(ballast),
        remove() {
          assert.ok(succeeds('umount', [folder]))
          rmSync(folder, { recursive: true })
        },
      }
    },
  },
  {
    // Linux lets anyone limit the files of their own process, and lift the limit again.
    name: 'files that may not grow',
    makeDisk() {
      const limit = (bytes: number | 'unlimited'): boolean =>
        succeeds('prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:`])
      if (!limit('unlimited')) return undefined
      const folder = makeFolder()
      return {
        folder,
        fill: () => assert.ok(limit(statSync(join(folder, 'karba.db-wal')).size)),
        makeRoom: () => assert.ok(limit('unlimited')),
        remove: () => rmSync(folder, { recursive: true }),
      }
    },
  },
]

for (const { name, makeDisk } of FAULTS) {
  const disk = makeDisk()
  if (disk === undefined) continue

  describe(`a service on SQLite and ${name}`, () => {
    it('answers 503, records nothing of it, goes on reading, and works again when there is room', async (t) => {
      const service = await openTestService(undefined, { KARBA_DATA_DIR: disk.folder })
      try {
        const { secretKey } = (await service.merchant()).accounts.sandbox
        const acknowledged = new Map<string, unknown>()
        const refused: Record<string, unknown>[] = []
        const create = async (body = order()): Promise<Answer> => {
          const answer = await post(service, secretKey, body)
          if (answer.code === 200) acknowledged.set(body.transaction_id as string, answer.body.reference)
          else refused.push(body)
          return answer
        }
        const assertAllReadable = async (): Promise<void> => {
          for (const [transactionId, reference] of acknowledged) {
            const { code, body } = await get(service, secretKey, transactionId)
            assert.deepEqual([code, body.reference], [200, reference])
          }
        }

        for (let n = 0; n < 20; n++) assert.equal((await create()).code, 200)
        disk.fill()
        // What is left in the last block may hold a few more.
        for (let n = 0; n < MOST_CREATES && refused.length === 0; n++) await create()
        const together = await Promise.all(Array.from({ length: 50 }, () => create()))
        const last = await create()
        for (const { code, body, headers } of [...together, last]) {
          if (code === 200) continue
          assert.deepEqual([code, body], [503, { message: 'Service Unavailable' }])
          assert.ok(headers['retry-after'])
        }
        assert.ok(refused.length > 0)
        const ready = await service.app.inject({ method: 'GET', url: '/readyz' })
        assert.equal(ready.statusCode, 503)
        assert.ok(ready.json().failing.includes('write'), ready.body)
        await assertAllReadable()
        for (const body of refused) {
          assert.equal((await get(service, secretKey, body.transaction_id as string)).code, 404)
        }

        disk.makeRoom()
        const again = refused.splice(0)
        assert.deepEqual(
          (await Promise.all(again.map((body) => create(body)))).map(({ code }) => code),
          again.map(() => 200),
        )
        await assertAllReadable()
        const rows = await service.db.rows<{ external_reference: string; reference: string }>(
          'select external_reference, reference from payments',
        )
        assert.deepEqual(new Map(rows.map((row) => [row.external_reference, row.reference])), acknowledged)
        t.diagnostic(`${again.length} creates refused with 503, ${acknowledged.size} payments checked`)
      } finally {
        await service.remove()
        disk.remove()
      }
    })
  })
}
