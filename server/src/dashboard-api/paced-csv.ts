// Sends a file that is made in slices: each slice when the reader has taken the one before, with a rest after it in which others are served. A reader
// that takes nothing for a while is cut off, and when it leaves, the making ends.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../domain/clock-and-random.ts'

/** A slice of 100 rows keeps the event loop for about 2 ms: with this rest, four exports take less than half of it. */
const REST_MS = 15
/** For each slice of about 15 kB. */
const TAKEN_WITHIN_MS = 20_000

export function sendPaced(
  reply: FastifyReply,
  clock: Pick<Clock, 'after'>,
  slices: AsyncIterable<string>,
  ended: () => void,
): FastifyReply {
  const { raw } = reply
  let cancelCut = (): void => {}
  const rest = (): Promise<void> => new Promise((resolve) => clock.after(REST_MS, resolve))

  async function* paced(): AsyncGenerator<string> {
    let isFirst = true
    for await (const slice of slices) {
      if (!isFirst) await rest()
      isFirst = false
      // Nothing was found in this part: there is a rest all the same.
      if (slice === '') continue
      cancelCut = clock.after(TAKEN_WITHIN_MS, () => raw.destroy())
      yield slice
      cancelCut()
    }
  }

  const end = (): void => {
    cancelCut()
    ended()
  }
  raw.once('close', end)
  if (raw.destroyed) end()
  return reply.send(Readable.from(paced()))
}
