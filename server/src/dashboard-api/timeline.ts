// A payment's story as the page shows it: facts, for which the page has the words.
import type { PaymentBody } from './shapes.ts'

interface StoryEntry {
  at: number
  kind: string
  detail: Record<string, unknown>
}

type Entry = PaymentBody['timeline'][number]

/** Once the operator has a request of mobile money, it asks the payer: nobody tells us of it, and it is what everybody waits for then. */
export function timelineOf(story: readonly StoryEntry[], { hasPhone }: { hasPhone: boolean }): Entry[] {
  let isAsked = false
  return story.flatMap(({ at, kind, detail }): Entry[] => {
    const entry = { at, kind, facts: factsOf(detail) }
    if (kind.startsWith('attempt')) isAsked = false
    if (!hasPhone || isAsked || detail.is !== 'accepted') return [entry]
    isAsked = true
    return [entry, { at, kind: 'payer_asked', facts: {} }]
  })
}

const factsOf = (detail: Record<string, unknown>): Entry['facts'] =>
  Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'number' || value === null ? value : JSON.stringify(value),
    ]),
  )
