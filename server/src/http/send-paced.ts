// Sends a long file in chunks: with pauses, so that requests of others are answered between, and to
// a reader that keeps reading.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../domain/clock-and-random.ts'
import type { Refusal, RefusedAs } from '../domain/refusals/refusal.ts'

/**
 * 100 rows block the event loop for about 2 ms: with this pause, four exports take less than half
 * of it.
 */
const PAUSE_MS = 15
/** Characters or bytes: a short file is sent without a pause. */
const PAUSE_AFTER = 8_000
/** For each chunk of about 15 kB. */
const TAKEN_WITHIN_MS = 20_000

type Chunk = string | Uint8Array

export function sendPaced(
  reply: FastifyReply,
  clock: Pick<Clock, 'after'>,
  chunks: Iterable<Chunk> | AsyncIterable<Chunk>,
  ended: () => void,
): FastifyReply {
  const { raw } = reply
  let cancelCut = (): void => {}
  const pause = (): Promise<void> => new Promise((resolve) => clock.after(PAUSE_MS, resolve))

  async function* paced(): AsyncGenerator<Chunk> {
    let sinceLastPause = 0
    for await (const chunk of chunks) {
      if (sinceLastPause >= PAUSE_AFTER) {
        await pause()
        sinceLastPause = 0
      }
      // A part without matches pauses too.
      sinceLastPause += chunk.length || PAUSE_AFTER
      if (raw.destroyed) return
      if (chunk.length === 0) {
        // The reader waits no longer for a long search than for a short one to know that its file
        // comes.
        if (!raw.headersSent) raw.flushHeaders()
        continue
      }
      cancelCut = clock.after(TAKEN_WITHIN_MS, () => raw.destroy())
      yield chunk
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

export interface SentDownload {
  contentType: string
  /** Without quotes or characters of a path. */
  fileName: string
  content: Iterable<Chunk> | AsyncIterable<Chunk>
}

/**
 * Makes a file while its slot is held, and sends it. The slot is released at the end, also after an
 * error.
 */
export async function sendFromSlot<Name extends Refusal>(
  reply: FastifyReply,
  clock: Pick<Clock, 'after'>,
  release: () => void,
  making: Promise<SentDownload | RefusedAs<Name>>,
): Promise<FastifyReply | RefusedAs<Name>> {
  const file = await making.catch((error) => {
    release()
    throw error
  })
  if ('content' in file) return sendDownload(reply, clock, file, release)
  release()
  return file
}

export function sendDownload(
  reply: FastifyReply,
  clock: Pick<Clock, 'after'>,
  { contentType, fileName, content }: SentDownload,
  ended: () => void,
): FastifyReply {
  reply.headers({
    'content-type': contentType,
    'content-disposition': `attachment; filename="${fileName}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  return sendPaced(reply, clock, content, ended)
}
