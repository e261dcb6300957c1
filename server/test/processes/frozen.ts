// A process that is stopped anywhere, and connections to the database that go silent without closing: what the others do goes on within 15
// seconds, and when the process wakes up nothing is sent twice.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { openBreakableWay } from '../kit/breakable-way.ts'
import { startSeveralProcesses } from '../kit/several-processes.ts'
import { until } from '../kit/waiting.ts'

const GOES_ON_WITHIN_MS = 15_000
/** Longer than a claim lasts: by then the others have claimed again what the frozen process held. */
const FROZEN_FOR_MS = 17_000

/** One of two workers is stopped under load, in each round for longer than its claims last. */
export async function runFrozenWorker(rounds: number, payments: number): Promise<void> {
  const several = await startSeveralProcesses({ settings: [{}, {}, {}] })
  try {
    const { child } = several.workers[0] as (typeof several.workers)[0]
    for (let round = 0; round < rounds; round++) {
      const before = several.create(payments)
      // Wherever it is in its work: each round another place.
      await pause(100 + 37 * round)
      child.kill('SIGSTOP')
      const frozenAt = performance.now()
      await before
      const during = await several.create(payments)
      await several.settled('payments that were made while a worker was frozen', during, GOES_ON_WITHIN_MS)
      await pause(Math.max(0, FROZEN_FOR_MS - (performance.now() - frozenAt)))
      child.kill('SIGCONT')
    }
    await several.settled('payments', several.acknowledged)
    assertOnce(several.acknowledged, several.operator.requests)
  } finally {
    await several.close()
  }
}

/** All connections to the database go silent at once; new ones work. */
export async function runSilentConnections(rounds: number, payments: number): Promise<void> {
  const ways: Awaited<ReturnType<typeof openBreakableWay>>[] = []
  const through = async (url: string): Promise<string> => {
    const way = await openBreakableWay(url)
    ways.push(way)
    return way.url
  }
  const several = await startSeveralProcesses({ settings: [{}, {}, {}], through })
  try {
    for (let round = 0; round < rounds; round++) {
      await several.create(payments)
      for (const way of ways) way.silence()
      const answered = () =>
        several.create(1).then(
          () => true,
          () => false,
        )
      await until('create that is answered', answered, GOES_ON_WITHIN_MS)
      const since = await several.create(payments)
      await several.settled('payments that were made since the connections went silent', since, GOES_ON_WITHIN_MS)
    }
    await several.settled('payments', several.acknowledged)
    assertOnce(several.acknowledged, several.operator.requests)
  } finally {
    await several.close()
    for (const way of ways) way.close()
  }
}

function assertOnce(references: readonly string[], requests: ReadonlyMap<string, number>): void {
  const notOnce = references.filter((reference) => requests.get(reference) !== 1)
  assert.deepEqual(notOnce, [])
}
