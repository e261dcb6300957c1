// Archive files that were changed, cut, lengthened, mixed with others, renamed or brought from
// another store: `karba archive read` prints no line that was not written, and says what is wrong.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ArchiveDamaged, readArchive } from '../../src/actions/archives/read-archive.ts'
import { isRefused } from '../../src/domain/refusals/refusal.ts'
import { TESTER } from '../kit/callers.ts'
import { commandsOn } from '../kit/karba.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { newMerchant } from '../kit/service.ts'
import { openTestRuntime } from '../kit/shared.ts'
import { STORES, type StoreKind } from '../kit/stores.ts'

const DAY_MS = 86_400_000
/** More than one block. */
const MANY = 400
const FEW = 3
/** Changed one after the other: all of the first line, and as many of the blocks. */
const FLIPS = 300

interface Archived {
  file: string
  month: string
}

/** A store with two archived months, and its command. */
async function openArchived(store: StoreKind) {
  const runtime = await openTestRuntime(store)
  const { accountId } = (await newMerchant(runtime)).accounts.sandbox
  const now = runtime.clock.now()
  await insertPending(runtime, accountId, MANY, { dueAt: now - 140 * DAY_MS })
  await insertPending(runtime, accountId, FEW, { dueAt: now - 100 * DAY_MS })
  await runtime.db.change('update payments set customer_name = :customerName', {
    customerName: 'Awa '.repeat(100).trim(),
  })
  const commands = commandsOn(runtime.place.env)
  const folder = runtime.config.dataDir
  const { archives } = await commands.json('archive', 'write', folder, '--older-than', '1')
  const [large, small] = archives.filter(({ payments }: { payments: number }) => payments > 0)
  return { runtime, folder, ...commands, large: large as Archived, small: small as Archived }
}

/** The first line, and each block with its length. */
function partsOf(bytes: Buffer): { head: Buffer; blocks: Buffer[] } {
  let at = bytes.indexOf('\n') + 1
  const head = bytes.subarray(0, at)
  const blocks: Buffer[] = []
  while (at < bytes.length) {
    const end = at + 4 + bytes.readUInt32BE(at)
    blocks.push(bytes.subarray(at, end))
    at = end
  }
  return { head, blocks }
}

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] as number) ^ 1
  return changed
}

for (const store of STORES) {
  describe(`archives tampered with on ${store.name}`, () => {
    let own: Awaited<ReturnType<typeof openArchived>>
    let other: Awaited<ReturnType<typeof openArchived>>
    let large: Buffer
    let small: Buffer
    const written = new Set<string>()

    before(async () => {
      own = await openArchived(store)
      other = await openArchived(store)
      large = readFileSync(own.large.file)
      small = readFileSync(own.small.file)
      for (const { file } of [own.large, own.small])
        for (const line of (await own.karba('archive', 'read', file)).stdout.trimEnd().split('\n'))
          written.add(line)
    })
    after(async () => {
      await own?.runtime.remove()
      await other?.runtime.remove()
    })

    /** The outcome of a read, and the lines that it gave before. */
    async function read(bytes: Buffer): Promise<{ outcome: string; lines: string[] }> {
      const lines: string[] = []
      const file = (async function* () {
        yield bytes
      })()
      const opened = await readArchive(own.runtime, TESTER, { file })
      if (isRefused(opened)) return { outcome: opened.refused, lines }
      try {
        for await (const line of opened.lines) lines.push(line)
        return { outcome: 'whole', lines }
      } catch (error) {
        if (!(error instanceof ArchiveDamaged)) throw error
        return { outcome: error.message, lines }
      }
    }

    it('archive files: a changed byte anywhere, a cut anywhere and a byte more are refused', async () => {
      const { outcome, lines } = await read(large)
      assert.deepEqual([outcome, lines.length, written.size], ['whole', MANY, MANY + FEW])
      const { head, blocks } = partsOf(large)
      assert.ok(blocks.length > 1, `${blocks.length} blocks`)
      const second = head.length + (blocks[0] as Buffer).length
      const places = new Set<number>()
      for (let at = 0; at < head.length + 4; at++) places.add(at)
      for (let at = second; at < second + 4; at++) places.add(at)
      const stride = Math.ceil((large.length - head.length) / FLIPS)
      for (let at = head.length; at < large.length; at += stride) places.add(at)
      places.add(large.length - 1)
      for (const at of places)
        for (const bytes of [flipped(large, at), large.subarray(0, at)]) {
          const tampered = await read(bytes)
          assert.notEqual(tampered.outcome, 'whole', `at ${at} of ${large.length}`)
          for (const line of tampered.lines) assert.ok(written.has(line), `at ${at}`)
        }
      assert.notEqual((await read(Buffer.concat([large, Buffer.alloc(1)]))).outcome, 'whole')
    })

    const TAMPERED: [
      what: string,
      bytes: (large: Buffer, small: Buffer) => Buffer,
      says: RegExp,
    ][] = [
      [
        'with its last block changed',
        (bytes) => flipped(bytes, bytes.length - 20),
        /is damaged: block 1 was changed\.\n$/,
      ],
      [
        'cut in the middle',
        (bytes) => bytes.subarray(0, bytes.length / 2),
        /is damaged: the file ends before/,
      ],
      [
        'cut between two blocks',
        (bytes) => Buffer.concat([partsOf(bytes).head, partsOf(bytes).blocks[0] as Buffer]),
        /is damaged: the file ends before its last line/,
      ],
      [
        'with two blocks swapped',
        (bytes) => Buffer.concat([partsOf(bytes).head, ...partsOf(bytes).blocks.reverse()]),
        /is damaged: block 0 was changed/,
      ],
      [
        'with a block of the other month',
        (bytes, others) =>
          Buffer.concat([
            partsOf(bytes).head,
            ...partsOf(others).blocks,
            ...partsOf(bytes).blocks.slice(1),
          ]),
        /is damaged: block 0 was changed/,
      ],
      [
        'with the first line of the other month',
        (bytes, others) => Buffer.concat([partsOf(others).head, ...partsOf(bytes).blocks]),
        /is damaged: block 0 was changed/,
      ],
      [
        'whose first line names another month',
        (bytes) =>
          Buffer.concat([
            Buffer.from(
              partsOf(bytes)
                .head.toString()
                .replace(/"month":"\d{4}/, '"month":"1999'),
            ),
            ...partsOf(bytes).blocks,
          ]),
        /is damaged: its first line was changed/,
      ],
      [
        'followed by the other month',
        (bytes, others) => Buffer.concat([bytes, others]),
        /is damaged: it goes on after its last line/,
      ],
      [
        'that was packed',
        (bytes) => gzipSync(bytes),
        /This is not an archive that this version of Karba can read/,
      ],
      [
        'that is empty',
        () => Buffer.alloc(0),
        /This is not an archive that this version of Karba can read/,
      ],
    ]

    it('karba archive read: prints only lines that were written, and says what is wrong with the file', async () => {
      const file = join(own.folder, 'tampered.archive')
      for (const [what, bytes, says] of TAMPERED) {
        writeFileSync(file, bytes(large, small))
        const { code, stdout, stderr } = await own.karba('archive', 'read', file)
        assert.equal(code, 1, what)
        assert.match(stderr, says, what)
        for (const line of stdout.split('\n').filter((each) => each !== ''))
          assert.ok(written.has(line), `${what}: ${line.slice(0, 80)}`)
      }
    })

    it('karba archive read: an archive of another store is refused, and it reads its own', async () => {
      await own.fails(/This store has no key for this archive/, 'archive', 'read', other.large.file)
      assert.equal((await other.karba('archive', 'read', other.large.file)).code, 0)
    })

    it('karba archive read: a file under the name of another month is refused, any other name is not', async () => {
      const renamed = join(
        own.folder,
        basename(own.large.file).replace(own.large.month, own.small.month),
      )
      copyFileSync(own.large.file, renamed)
      await own.fails(
        new RegExp(
          `holds ${own.large.month}, and its name says otherwise. Its name is ${basename(own.large.file)}`,
        ),
        'archive',
        'read',
        renamed,
      )
      copyFileSync(own.small.file, own.large.file)
      await own.fails(
        new RegExp(`holds ${own.small.month}, and its name`),
        'archive',
        'read',
        own.large.file,
      )
      const copied = join(own.folder, 'copy.bin')
      copyFileSync(own.small.file, copied)
      const { code, stdout } = await own.karba('archive', 'read', copied)
      assert.deepEqual([code, stdout.trimEnd().split('\n').length], [0, FEW])
    })

    it('karba archive verify: names each month whose file is missing, damaged or another one', async () => {
      const verified = async (folder: string) => {
        const { code, stdout } = await other.karba('archive', 'verify', folder, '--json')
        const { archives } = JSON.parse(stdout) as {
          archives: { file: string; fault: string | null }[]
        }
        return {
          code,
          faults: archives
            .filter(({ fault }) => fault !== null)
            .map(({ file, fault }) => [file, fault]),
        }
      }
      assert.deepEqual(await verified(other.folder), { code: 0, faults: [] })
      const { file } = other.large
      const bytes = readFileSync(file)
      const faults: [change: () => void, fault: string][] = [
        [
          () => writeFileSync(file, flipped(bytes, bytes.length - 20)),
          'damaged: block 1 was changed',
        ],
        [
          () => writeFileSync(file, bytes.subarray(0, -1)),
          'damaged: the file ends before its last line',
        ],
        [() => copyFileSync(other.small.file, file), 'another file under this name'],
        [() => copyFileSync(own.large.file, file), 'another file under this name'],
        [() => rmSync(file), 'missing'],
      ]
      for (const [change, fault] of faults) {
        change()
        assert.deepEqual(await verified(other.folder), { code: 1, faults: [[file, fault]] })
      }
      const people = await other.karba('archive', 'verify', other.folder)
      assert.match(people.stdout, /400 {2}\S+ +missing\n.* 3 {2}\S+ +whole\n/s)
    })

    it('karba archive read: a folder is no file', () =>
      own.fails(/^karba: There is no file \S+\.\n$/, 'archive', 'read', own.folder))
  })
}
