// The story of a payment in words. The server sends facts; a kind that has no words here yet is shown by its name.
import { operatorName } from '../../../server/src/domain/operator-names.ts'
import * as format from '../format.ts'
import { useSpoken } from '../words/language.tsx'

interface Entry {
  at: number
  kind: string
  facts: Readonly<Record<string, unknown>>
}

export function PaymentTimeline({ timeline }: { timeline: readonly Entry[] }) {
  const { words, language } = useSpoken()
  const { one, failures } = words.money
  const sentence = ({ kind, facts }: Entry): string => {
    const to = String(facts.to ?? facts.status ?? '')
    return (kind === 'moved' ? one.moved[to] : one.kinds[kind]) ?? [kind.replaceAll('_', ' '), to].join(' ').trim()
  }
  const more = ({ kind, facts }: Entry): string => {
    const { is, ms, operator, error } = facts
    const reason = facts.reason ?? facts.failureReason
    const why = typeof reason === 'string' ? (failures[reason] ?? reason) : ''
    const network = typeof operator === 'string' ? operatorName(operator) : ''
    const answer = kind !== 'moved' && typeof is === 'string' ? (one.answers[is] ?? is.replaceAll('_', ' ')) : ''
    const took = typeof ms === 'number' ? `${format.count(ms)}\u00a0ms` : ''
    return [answer, why, network, error, took].filter(Boolean).join(' · ')
  }
  let dayBefore = ''
  return (
    <ol className="timeline">
      {timeline.map((entry, at) => {
        const day = format.day(entry.at, language)
        const shownDay = day === dayBefore ? '' : `${day}, `
        dayBefore = day
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are added at the end and never change
          <li key={at} className={entry.kind === 'moved' ? 'strong' : ''}>
            {sentence(entry)}
            <span className="sub">
              <time dateTime={new Date(entry.at).toISOString()}>
                {shownDay}
                {format.timeWithSeconds(entry.at)}
              </time>
              {more(entry) !== '' && ` · ${more(entry)}`}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
