// API keys are rolled, and a rotation of the master key is tried, while several processes on one
// PostgreSQL create payments: no request with a valid key is refused, and every secret opens
// afterwards.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openEverySecret } from '../../src/actions/master-key/rotate-master-key.ts'
import { useOf } from '../../src/service/master-key.ts'
import { openRuntime, realRandom } from '../../src/service/runtime.ts'
import { type RunningServer, spawnKarba, startProcess } from '../kit/process.ts'
import { head, order } from '../kit/service.ts'
import { makePlaceWithAccount } from '../kit/several-processes.ts'
import { POSTGRES } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { upTo } from '../kit/webhooks.ts'

const PROCESSES = 3
const IN_FLIGHT = 6
const ROLLS = 4
/** D-17: how long a process may use a key that another one has ended. */
const NEWS_TAKE_MS = 1_000

it('key changes under load: no valid key is refused by any process, and a rotation beside them changes nothing', async (t) => {
  const { place, accountId, secretKey } = await makePlaceWithAccount(POSTGRES)
  const servers: RunningServer[] = []
  t.after(async () => {
    for (const server of servers) await server.end('SIGKILL')
    await place.remove()
  })
  const startAll = async (): Promise<void> => {
    servers.push(await startProcess(place.env))
    const others = upTo(PROCESSES - 1).map(() => startProcess({ ...place.env, KARBA_ROLE: 'api' }))
    servers.push(...(await Promise.all(others)))
  }
  const pay = async ({ url }: RunningServer, key: string): Promise<number> => {
    const answer = await fetch(`${url}/api/v1/payments`, {
      method: 'POST',
      headers: head(key),
      body: JSON.stringify(order()),
    })
    await answer.arrayBuffer()
    return answer.status
  }
  const ran = async (...args: string[]) => spawnKarba(args, place.env)
  const rolled = async (keepOld: string): Promise<string> => {
    const { code, stdout, stderr } = await ran(
      'keys',
      'roll',
      accountId,
      '--keep-old',
      keepOld,
      '--json',
    )
    assert.deepEqual([code, stderr], [0, ''])
    return JSON.parse(stdout).secret_key
  }

  await startAll()
  const valid = [secretKey]
  const answers = new Map<string, number>()
  let isOver = false
  const load = upTo(IN_FLIGHT).map(async (nth) => {
    for (let turn = nth; !isOver; turn++) {
      const [server, key] = [
        servers[turn % servers.length] as RunningServer,
        valid[turn % valid.length] as string,
      ]
      const answer = `${await pay(server, key)}`
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
  })
  const more = async (): Promise<void> => {
    const enough = (answers.get('200') ?? 0) + 30
    await until('more payments', () => (answers.get('200') ?? 0) >= enough)
  }
  for (const _ of upTo(ROLLS)) {
    await more()
    const fresh = await rolled('24h')
    // At once, and by each process.
    for (const server of servers) assert.equal(await pay(server, fresh), 200)
    valid.push(fresh)
    const { code, stderr } = await ran('master-key', 'rotate')
    assert.equal(code, 1)
    assert.match(stderr, /Karba is running on this database: \d+ sessions\. Stop every server/)
  }
  await more()
  isOver = true
  await Promise.all(load)
  assert.deepEqual([...answers.keys()], ['200'])

  const last = await rolled('0')
  for (const server of servers) {
    assert.equal(await pay(server, last), 200)
    // A process keeps each key for a while of its own.
    for (const key of valid)
      await until(
        'refusal of an ended key',
        async () => (await pay(server, key)) === 401,
        10 * NEWS_TAKE_MS,
      )
  }

  for (const server of servers.splice(0)) assert.equal(await server.end('SIGTERM'), 0)
  const rotated = await ran('master-key', 'rotate', '--json')
  assert.deepEqual([rotated.code, rotated.stderr], [0, ''])
  assert.ok(JSON.parse(rotated.stdout).resealed > 0)
  await startAll()
  for (const server of servers) {
    assert.equal(await pay(server, last), 200)
    assert.equal(await pay(server, valid[0] as string), 401)
  }
  const runtime = await openRuntime(place.config)
  const { opened, unopened } = await openEverySecret(runtime.db, useOf(runtime.master, realRandom))
  await runtime.close()
  assert.deepEqual([opened > 0, unopened], [true, []])
})
