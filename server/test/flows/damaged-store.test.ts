// Pages of SQLite's file are overwritten, before a start or under the server. What the service answers is right or a 503; once it has met the damage
// it answers nothing else, says so in its log, and commands name the damage. Content that is changed without breaking a page is not found: SQLite
// keeps no checksums.
import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { makeLog } from '../../src/observability/log.ts'
import { checkUp } from '../../src/service/check-up.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import { isStartRefusal, openRuntime } from '../../src/service/runtime.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { newMerchant } from '../kit/merchant.ts'
import { type Answer, get, order, post } from '../kit/service.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { SUCCEEDS_AT_ONCE } from '../links/payer.ts'

const PAGE = 4_096
/** The first byte of a page: entries of a table, entries of an index. */
const LEAVES = { table: 13, index: 10 } as const
const PAYMENTS = 60

describe('a damaged SQLite store', () => {
  let place: StorePlace
  let secretKey: string
  let file: string
  /** The file before any damage, and each payment as it was read then. */
  let whole: Buffer
  const truth = new Map<string, unknown>()

  before(async () => {
    place = await SQLITE.makePlace()
    file = `${place.config.dataDir}/karba.db`
    const service = await openService(place.config)
    secretKey = (await newMerchant(service)).accounts.sandbox.secretKey
    for (let nth = 0; nth < PAYMENTS; nth++) {
      const { body } = await post(service, secretKey, order({ msisdn: SUCCEEDS_AT_ONCE }))
      truth.set(body.reference as string, undefined)
    }
    await service.close()
    // What is read later comes from the file, not from the page cache of the connection that wrote it.
    const again = await openService(place.config)
    for (const reference of truth.keys()) truth.set(reference, (await get(again, secretKey, reference)).body)
    await again.close()
    whole = readFileSync(file)
  })
  after(() => place.remove())

  function overwrite(page: number, fill: number): void {
    const descriptor = openSync(file, 'r+')
    writeSync(descriptor, Buffer.alloc(PAGE, fill), 0, PAGE, page * PAGE)
    closeSync(descriptor)
  }

  /** The pages of this kind that hold the reference of a payment. */
  const pagesWith = (first: number): number[] =>
    Array.from({ length: whole.length / PAGE }, (_, page) => page).filter((page) => {
      const bytes = whole.subarray(page * PAGE, (page + 1) * PAGE)
      return bytes[0] === first && [...truth.keys()].some((reference) => bytes.includes(reference))
    })

  for (const [what, damage] of [
    ['its first page', () => overwrite(0, 0xff)],
    ['the table of its migrations', () => overwrite(1, 0xff)],
    ['every page', () => writeFileSync(file, Buffer.alloc(whole.length, 0xff))],
  ] as const) {
    it(`is refused at a start, in a sentence that says what to do: damage of ${what}`, async () => {
      writeFileSync(file, whole)
      damage()
      const error = await openService(place.config).then(
        () => assert.fail('it started'),
        (thrown: Error) => thrown,
      )
      assert.ok(isStartRefusal(error), error.stack)
      assert.match(error.message, /damaged.*karba verify.*karba restore/)
    })
  }

  async function readEach(service: Service): Promise<Map<number, number>> {
    const codes = new Map<number, number>()
    const count = ({ code }: Answer): void => void codes.set(code, (codes.get(code) ?? 0) + 1)
    for (const [reference, body] of truth) {
      const answer = await get(service, secretKey, reference)
      count(answer)
      if (answer.code === 200) assert.deepEqual(answer.body, body)
    }
    return codes
  }

  for (const [kind, first] of Object.entries(LEAVES)) {
    for (const fill of [0xff, 0]) {
      for (const when of ['before a start', 'under the server'] as const) {
        it(`answers the truth or 503, and after the first 503 nothing else: pages with ${kind} entries are ${fill === 0 ? 'zeroed' : 'overwritten'} ${when}`, async () => {
          writeFileSync(file, whole)
          const damage = (): void => {
            for (const page of pagesWith(first)) overwrite(page, fill)
          }
          if (when === 'before a start') damage()
          const lines: string[] = []
          const log = makeLog('fatal', { write: (line) => void lines.push(line) })
          const service = await openService(place.config, { log })
          try {
            if (when === 'under the server') damage()
            const codes = await readEach(service)
            assert.deepEqual(
              [...codes.keys()].filter((code) => code !== 200),
              [503],
            )
            assert.deepEqual([...(await readEach(service)).keys()], [503])
            assert.equal((await post(service, secretKey, order())).code, 503)
            assert.equal((await service.app.inject('/readyz')).statusCode, 503)
            assert.equal(lines.length, 1)
            assert.match(lines[0] as string, /the store is damaged/)
          } finally {
            await service.close()
          }
        })
      }
    }
  }

  it('is named by karba verify and by karba doctor', async () => {
    writeFileSync(file, whole)
    for (const page of pagesWith(LEAVES.index)) overwrite(page, 0xff)
    const runtime = await openRuntime(place.config)
    try {
      const { findings } = granted(await verifyStore(runtime, TESTER))
      assert.ok(findings.some(({ kind }) => kind === 'file_damaged'))
      const results = await checkUp({ ...runtime, machineTime: runtime.clock.now })
      assert.equal(results.find(({ name }) => name === 'store')?.is, 'dangerous')
    } finally {
      await runtime.close()
    }
  })
})
