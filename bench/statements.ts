// Creates while a statement is imported through the dashboard, relative to creates without, in turns; the speed of the
// import, and the memory that it takes. The file is made while it is sent.
import { dayOf, localTimeText } from '../server/src/domain/business-day.ts'
import { signedIn } from '../server/test/kit/people.ts'
import { fillPlace } from './filled-payments.ts'
import { type Bench, inPlace, median, type Part, progress, running } from './part.ts'
import { prepare } from './prepared-store.ts'
import type { Figure } from './report.ts'
import { filledReference } from './requests.ts'
import { load, type Measured, startKarba } from './servers.ts'
import type { Settings } from './stores.ts'

const MOST_LINES = 1_000_000
const QUICK_LINES = 100_000
const ROUNDS = 5
const WARM_UP = 8_000
/** Short, so that several fit into one import. */
const REQUESTS = 2_000
const MOST_RESIDENT_MB = 400

export const statements: Part = { name: 'statements', isLong: true, measure }

async function measure({ store, isQuick, most }: Bench): Promise<Figure[]> {
  const lines = Math.min(isQuick ? QUICK_LINES : MOST_LINES, most)
  return inPlace(store, async (place) => {
    progress(`${store.name}: writing ${lines.toLocaleString('en')} payments`)
    const secretKey = await fillPlace(place, lines)
    const cookie = await prepareStaff(place)
    return running(startKarba(`${store.name} with statements`, { ...place }, secretKey), (server) =>
      measureImports(store.name, server, cookie, lines),
    )
  })
}

const prepareStaff = (place: Settings): Promise<string> =>
  prepare(place, async (runtime) => (await signedIn(runtime, { forServiceAs: 'finance' })).cookie)

async function measureImports(name: string, server: Measured, cookie: string, lines: number): Promise<Figure[]> {
  await load(server, 'create', WARM_UP)
  const residentBefore = await server.residentMb()
  const ratios: number[] = []
  const speeds: number[] = []
  let resident = 0
  const each = Math.ceil(lines / ROUNDS)
  let before = (await load(server, 'create', REQUESTS)).perSecond
  for (let round = 0; round < ROUNDS; round++) {
    const to = Math.min(lines, (round + 1) * each)
    progress(`${server.name}: import ${round + 1} of ${ROUNDS}`)
    const uploadId = await upload(server, cookie, round * each, to)
    const startedAt = Date.now()
    let isDone = false
    const importing = importUpload(server, cookie, uploadId).finally(() => {
      isDone = true
    })
    const during: number[] = []
    do {
      during.push((await load(server, 'create', REQUESTS)).perSecond)
      resident = Math.max(resident, await server.residentMb())
    } while (!isDone)
    await importing
    speeds.push((to - round * each) / ((Date.now() - startedAt) / 1_000))
    const after = (await load(server, 'create', REQUESTS)).perSecond
    ratios.push(median(during) / ((before + after) / 2))
    before = after
  }
  const rate = `${Math.round(median(speeds))} lines a second at the same time`
  return [
    { what: `${name}: create during an import of ${lines} lines`, value: median(ratios), detail: rate, atLeast: 0.9 },
    {
      ...{ what: `${name}: resident MB during it`, value: resident, atMost: MOST_RESIDENT_MB },
      detail: `${Math.round(residentBefore)} MB before`,
    },
  ]
}

const MAPPING = {
  columns: { bookedAt: 'Date', amount: 'Montant', ourReference: 'Référence marchand', networkReference: 'Id' },
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
  const begun = { environment: 'sandbox', connection: 'airtel_ne', name: `${dayOf(Date.now())}-${from}.csv` }
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
  for (let at = 0; at < last.length; at += partBytes) await sendPart(last.subarray(at, at + partBytes))
  const finished = await ask('POST', `/uploads/${uploadId}/finish`, { parts: part })
  await ask('PUT', `/uploads/${finished.uploadId}/columns`, { mapping: MAPPING })
  return finished.uploadId
}

async function importUpload(server: Measured, cookie: string, uploadId: string): Promise<void> {
  const answer = await client(server, cookie).send(
    ...(['POST', `/uploads/${uploadId}/import`, '{"dryRun":false}', 'application/json'] as const),
  )
  const last = answer.trim().split('\n').at(-1) ?? ''
  const { result = JSON.parse(last) } = JSON.parse(last)
  if (!(result.added > 0)) throw new Error(`the import failed: ${last.slice(0, 500)}`)
}

function client({ port }: Measured, cookie: string) {
  const origin = `http://127.0.0.1:${port}`
  async function send(method: string, path: string, body: Buffer | string, type: string): Promise<string> {
    const headers = { origin, cookie, 'content-type': type }
    const answer = await fetch(`${origin}/dashboard/api/console/books${path}`, { method, headers, body })
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
