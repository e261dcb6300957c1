// A point in time: the hour today, the day and the hour before that; to the second when the pointer rests on it.
import * as format from '../format.ts'
import { useSpoken } from '../words/language.tsx'

/** `isShort` leaves out the word for today, where there is little room. */
export function When({ at, isShort = false }: { at: number; isShort?: boolean }) {
  const { language, words } = useSpoken()
  const whole = format.dayAndTime(at, language)
  const today = isShort ? format.time(at) : `${words.shell.today}, ${format.time(at)}`
  return (
    <time dateTime={new Date(at).toISOString()} title={`${whole}:${format.timeWithSeconds(at).slice(-2)}`}>
      {format.isSameDay(at, Date.now()) ? today : whole}
    </time>
  )
}
