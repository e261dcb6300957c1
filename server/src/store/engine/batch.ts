// Turns a function on many into a function on one: calls that wait together are answered by one journey. A call never
// waits for company, only for a free journey, so a lone caller loses nothing.
import { StoreUnavailable } from './database.ts'

export interface GatherLimits {
  /** How many journeys may be under way at once. */
  journeys: number
  mostTogether: number
  mostWaiting: number
}

interface Waiting<Ask, Answer> {
  ask: Ask
  resolve(answer: Answer): void
  reject(error: unknown): void
}

export function gather<Ask, Answer>(
  journey: (asks: Ask[]) => Promise<Answer[]>,
  { journeys, mostTogether, mostWaiting }: GatherLimits,
): (ask: Ask) => Promise<Answer> {
  const waiting: Waiting<Ask, Answer>[] = []
  let underWay = 0
  let called = false

  function depart(): void {
    called = false
    while (underWay < journeys && waiting.length > 0) void travel(waiting.splice(0, mostTogether))
  }

  async function travel(together: Waiting<Ask, Answer>[]): Promise<void> {
    underWay++
    try {
      const answers = await journey(together.map(({ ask }) => ask))
      for (const [at, { resolve }] of together.entries()) resolve(answers[at] as Answer)
    } catch (error) {
      await answerAlone(together, error)
    } finally {
      underWay--
      depart()
    }
  }

  /** One bad ask must not fail its companions: after a fault that is not an outage, each is asked again by itself. */
  async function answerAlone(together: Waiting<Ask, Answer>[], error: unknown): Promise<void> {
    if (together.length === 1 || isOutage(error)) {
      for (const { reject } of together) reject(error)
      return
    }
    for (const { ask, resolve, reject } of together) {
      await journey([ask]).then(([answer]) => resolve(answer as Answer), reject)
    }
  }

  return (ask) => {
    if (waiting.length >= mostWaiting) throw new StoreUnavailable('too many calls are waiting')
    return new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject })
      if (called) return
      called = true
      setImmediate(depart)
    })
  }
}

const isOutage = (error: unknown): boolean => error instanceof Error && error.name.startsWith('Store')
