// A point in time, short: the hour today, the day before that; the whole of it when the pointer rests on it.
import * as format from '../format.ts'
import { useSpoken } from '../words/language.tsx'

export function When({ at, isWhole = false }: { at: number; isWhole?: boolean }) {
  const { language, words } = useSpoken()
  const whole = format.dayAndTime(at, language)
  const isToday = format.isSameDay(at, Date.now())
  return (
    <time dateTime={new Date(at).toISOString()} title={`${whole}:${format.timeWithSeconds(at).slice(-2)}`}>
      {isToday ? `${words.shell.today}, ${format.time(at)}` : isWhole ? whole : format.dayAndTime(at, language)}
    </time>
  )
}
