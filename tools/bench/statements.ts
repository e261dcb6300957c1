// Creates while a statement is imported through the dashboard, relative to creates without, at full
// speed and at the rate of a busy shop; the speed of the import, whether it stays the same, and the
// memory that it takes. The file is made while it is sent.
import { setTimeout as pause } from 'node:timers/promises'
import { dayOf, localTimeText } from '../../server/src/domain/countries/business-day.ts'
import { signedIn } from '../../server/test/kit/people.ts'
import { fillPlace } from './filled-payments.ts'
import type { LoadResult } from './load.ts'
import { type Bench, inPlace, median, type Part, progress, running } from './part.ts'
import type { Figure } from './report.ts'
import { filledReference } from './requests.ts'
import { load, type Measured, SETTLED, startKarba } from './servers.ts'
import { prepare, type Settings } from './stores.ts'

const MOST_LINES = 1_000_000
const QUICK_LINES = 100_000
const ROUNDS = 5
const WARM_UP = 8_000
/** Short, so that several fit into one import. */
const REQUESTS = 2_000
/** A slice, the parts of the file, and garbage of the time between collections. */
const MOST_MORE_MB = 200
/** Of a busy shop: 180,000 payments an hour. */
const SHOP_PER_SECOND = 50
const SHOP_REQUESTS = 500
/** Parts of the lines: for the first and the last speed, and for each round at full speed. */
const [TENTH, FIFTIETH] = [0.1, 0.02]

export const statements: Part = { name: 'statements', isLong: true, measure }

async function measure({ store, isQuick, most }: Bench): Promise<Figure[]> {
  const lines = Math.min(isQuick ? QUICK_LINES : MOST_LINES, most)
  return inPlace(store, async (place) => {
    progress(`${store.name}: writing ${lines.toLocaleString('en')} payments`)
    const { secretKey } = await fillPlace(place, lines)
    const cookie = await prepareStaff(place)
    return running(startKarba(`${store.name} with statements`, { ...place }, secretKey), (server) =>
      measureImports(store.name, server, cookie, lines),
    )
  })
}

const prepareStaff = (place: Settings): Promise<string> =>
  prepare(place, async (runtime) => (await signedIn(runtime, { forServiceAs: 'finance' })).cookie)

async function measureImports(
  name: string,
  server: Measured,
  cookie: string,
  lines: number,
): Promise<Figure[]> {
  await load(server, 'create', WARM_UP)
  await allSettled(server, WARM_UP)
  const residentBefore = await server.residentMb()
  let [resident, imported] = [0, 0]
  /** Imports the next lines while `during` runs again and again. Returns the lines a second. */
  const importNext = async (share: number, during: () => Promise<unknown>): Promise<number> => {
    const from = imported
    imported = Math.min(lines, from + Math.ceil(share * lines))
    const uploadId = await upload(server, cookie, from, imported)
    const startedAt = Date.now()
    let isDone = false
    const importing = importUpload(server, cookie, uploadId).finally(() => {
      isDone = true
    })
    do {
      await during()
      resident = Math.max(resident, await server.residentMb())
    } while (!isDone)
    await importing
    const speed = (imported - from) / ((Date.now() - startedAt) / 1_000)
    progress(`${server.name}: ${imported} lines, ${Math.round(speed)} a second`)
    return speed
  }
  const first = await importNext(TENTH, () => pause(100))
  const full = await atFullSpeed(server, importNext)
  const shop = await atShopSpeed(server, (during) =>
    importNext(1 - 2 * TENTH - ROUNDS * FIFTIETH, during),
  )
  await allSettled(server, WARM_UP + full.created + shop.created)
  const last = await importNext(TENTH, () => pause(100))
  return [
    { ...full.figure, what: `${name}: create at full speed during an import`, atLeast: 0.9 },
    {
      ...shop.figure,
      what: `${name}: ${SHOP_PER_SECOND} creates a second during an import`,
      atLeast: 0.9,
    },
    {
      what: `${name}: speed of the last tenth of ${lines} lines, of the first`,
      value: last / first,
      atLeast: 0.8,
      detail: `${Math.round(first)} and ${Math.round(last)} lines a second without creates`,
    },
    {
      what: `${name}: MB that imports add`,
      value: resident - residentBefore,
      atMost: MOST_MORE_MB,
      detail: `${Math.round(residentBefore)} MB before`,
    },
  ]
}

/** Payments that wait for their network slow an import down. */
const allSettled = (server: Measured, created: number): Promise<void> =>
  server.hasCounted(SETTLED, created)

interface DuringCreates {
  figure: Pick<Figure, 'value' | 'detail'>
  created: number
}

type ImportNext = (share: number, during: () => Promise<unknown>) => Promise<number>

async function atFullSpeed(server: Measured, importNext: ImportNext): Promise<DuringCreates> {
  let created = 0
  const creates = async (): Promise<number> => {
    created += REQUESTS
    return (await load(server, 'create', REQUESTS)).perSecond
  }
  const [ratios, speeds]: [number[], number[]] = [[], []]
  let before = await creates()
  for (let round = 0; round < ROUNDS; round++) {
    const during: number[] = []
    speeds.push(await importNext(FIFTIETH, async () => during.push(await creates())))
    const after = await creates()
    ratios.push(median(during) / ((before + after) / 2))
    before = after
  }
  return {
    figure: { value: median(ratios), detail: `${Math.round(median(speeds))} lines a second` },
    created,
  }
}

async function atShopSpeed(
  server: Measured,
  importMost: (during: () => Promise<unknown>) => Promise<number>,
): Promise<DuringCreates> {
  const creates = () => load(server, 'create', SHOP_REQUESTS, { perSecond: SHOP_PER_SECOND })
  const alone = await creates()
  const during: LoadResult[] = []
  const speed = await importMost(async () => during.push(await creates()))
  const of = (each: (result: LoadResult) => number): number => median(during.map(each))
  const p99 = of(({ times }) => times.p99Ms).toFixed(0)
  const detail = `${Math.round(speed)} lines a second, p99 ${p99} ms instead of ${alone.times.p99Ms.toFixed(0)}`
  const value = of(({ perSecond }) => perSecond) / alone.perSecond
  return { figure: { value, detail }, created: (1 + during.length) * SHOP_REQUESTS }
}

const MAPPING = {
  columns: {
    bookedAt: 'Date',
    amount: 'Montant',
    ourReference: 'Référence marchand',
    networkReference: 'Id',
  },
  types: { '': 'collection' },
}

/** In the order of the payments, some seconds apart; failed ones are late money. */
function* rowsOf(from: number, to: number): Generator<string> {
  const firstAt = Date.now() - 30 * 86_400_000
  yield 'Date;Id;Référence marchand;Montant\n'
  for (let n = from; n < to; n++)
    yield `${localTimeText(firstAt + n * 1_000)};N${n};${filledReference(n)};${500 + (n % 97) * 100}\n`
}

async function upload(server: Measured, cookie: string, from: number, to: number): Promise<string> {
  const { ask, send } = client(server, cookie)
  const begun = {
    environment: 'sandbox',
    connection: 'airtel_ne',
    name: `${dayOf(Date.now())}-${from}.csv`,
  }
  const { uploadId, partBytes } = await ask('POST', '/uploads', begun)
  let [part, held] = [0, '']
  const sendPart = async (bytes: Buffer): Promise<void> => {
    await send('PUT', `/uploads/${uploadId}/parts/${part++}`, bytes, 'application/octet-stream')
  }
  let rest = Buffer.alloc(0)
  for (const row of rowsOf(from, to)) {
    held += row
    if (held.length < partBytes) continue
    const bytes = Buffer.concat([rest, Buffer.from(held)])
    held = ''
    rest = bytes.subarray(partBytes)
    await sendPart(bytes.subarray(0, partBytes))
  }
  const last = Buffer.concat([rest, Buffer.from(held)])
  for (let at = 0; at < last.length; at += partBytes)
    await sendPart(last.subarray(at, at + partBytes))
  const finished = await ask('POST', `/uploads/${uploadId}/finish`, { parts: part })
  if (from === 0) await ask('PUT', `/uploads/${finished.uploadId}/columns`, { mapping: MAPPING })
  return finished.uploadId
}

async function importUpload(server: Measured, cookie: string, uploadId: string): Promise<void> {
  const answer = await client(server, cookie).send(
    'POST',
    `/uploads/${uploadId}/import`,
    '{"dryRun":false}',
    'application/json',
  )
  const last = answer.trim().split('\n').at(-1) ?? ''
  const { result = JSON.parse(last) } = JSON.parse(last)
  if (!(result.added > 0)) throw new Error(`the import failed: ${last.slice(0, 500)}`)
}

function client({ port }: Measured, cookie: string) {
  const origin = `http://127.0.0.1:${port}`
  async function send(
    method: string,
    path: string,
    body: Buffer | string,
    type: string,
  ): Promise<string> {
    const headers = { origin, cookie, 'content-type': type }
    const answer = await fetch(`${origin}/dashboard/api/console/books${path}`, {
      method,
      headers,
      body,
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
    return text
  }
  return {
    send,
    ask: async (method: string, path: string, body: object) =>
      JSON.parse(await send(method, path, JSON.stringify(body), 'application/json')),
  }
}
