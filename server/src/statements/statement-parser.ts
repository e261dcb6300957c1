// Reads statement files for the rest of the service, so that a hostile file costs its sender a
// refusal and nobody else a request. It works in two threads: one file at a time in the first, with
// limits on time and memory, and in the second the lines of files that were read to their end
// before, as fast as an import books them.

import {
  type ColumnMapping,
  ParserBusy,
  ParsingStopped,
  type StatementLine,
} from '../domain/books/statement.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { fairTurns, widestNetwork } from '../domain/limits/fair-shares.ts'
import type { Row } from './csv-rows.ts'
import { StatementRefused } from './limits.ts'
import { openParserThread, type ParserJob, type ParserThread } from './parser-thread.ts'
import type { StatementSample } from './propose-mapping.ts'
import { isWorkbook, peek, type StatementSource } from './statement-rows.ts'

/** For whom a file is read: one file at a time is read in a process, and these take turns. */
export interface ParsingTurn {
  /** An account, a member of staff, or a part of the service. */
  group: string
  /**
   * The caller's network, for an account of a merchant that is not validated: together these have
   * one turn.
   */
  unvalidatedAt?: string | undefined
  /** The client has left: reading ends. */
  signal?: AbortSignal | undefined
}

/**
 * CPU time, so that a busy machine refuses no file: so much, and more for each megabyte. A workbook
 * of 3.5 MB and 50,000 rows took 1.2 s for its sample and 3.5 s whole; a CSV file of 180 MB and a
 * million lines took 40 s.
 */
const MOST_CPU: Readonly<Record<ParserJob['is'], { ms: number; msForMegabyte: number }>> = {
  sample: { ms: 5_000, msForMegabyte: 200 },
  lines: { ms: 10_000, msForMegabyte: 1_500 },
  rows: { ms: 10_000, msForMegabyte: 1_500 },
}
const WATCHED_EVERY_MS = 250
/** Of a file that is read for the first time, whatever its reader waits for. */
const LONGEST_MS = 15 * 60_000
/** Then its memory is given back. */
const IDLE_MS = 30_000

/** A person waits so long for a turn. */
const LONGEST_WAIT_MS = 30_000
const TRIED_AGAIN_AFTER_MS = 1_000

const TURNS = { atOnce: 1, mostWaiting: 40, mostWaitingOfGroup: 4 }
/**
 * Anyone can sign up, so merchants that are not validated have one turn together, which their
 * networks share.
 */
const UNVALIDATED = 'merchants that are not validated'

/**
 * A workbook keeps its texts in memory while it is read: an import reads it again in parts of so
 * many lines.
 */
const WORKBOOK_PART = 20_000
const EVERY_LINE = { from: 0, most: Number.MAX_SAFE_INTEGER }

export type StatementParser = ReturnType<typeof statementParser>

/**
 * The two threads, and who waits for the first one. A reader is one of:
 *
 *   waiting   for its turn; a person gets ParserBusy after LONGEST_WAIT_MS, an import asks again
 *   reading   has the first thread alone, with limits on CPU time and duration
 *   again     reads a file that was read to its end before, in the second thread, beside others
 *   over      at the end, at the first fault, or when the client has left: the turn is released,
 *             and a thread that may be in the middle of a file is ended
 */
interface Parser {
  after: Clock['after']
  first: OneThread
  second: OneThread
  inTurn: FairTurns
  /** The queue in front of the one turn of merchants that are not validated. */
  inTurnOfUnvalidated: FairTurns
}

type FairTurns = ReturnType<typeof fairTurns>

const busy = (): Error => new ParserBusy('too many statement files wait to be read')

/**
 * Each method reads a file from its beginning, and throws `StatementRefused` at its first fault.
 */
export function statementParser({ after }: Pick<Clock, 'after'>) {
  const parser: Parser = {
    after,
    first: oneThread(after),
    second: oneThread(after),
    inTurn: fairTurns({ ...TURNS, busy }),
    inTurnOfUnvalidated: fairTurns({ ...TURNS, mostWaiting: TURNS.mostWaiting / 2, busy }),
  }
  return {
    async sample(source: StatementSource, turn: ParsingTurn): Promise<StatementSample> {
      for await (const [sample] of firstRead(parser, { is: 'sample' }, source, turn))
        if (sample !== undefined) return sample
      throw new StatementRefused({ fault: 'heading_not_found' })
    },
    async *lines(
      source: StatementSource,
      mapping: ColumnMapping,
      turn: ParsingTurn,
    ): AsyncGenerator<StatementLine> {
      const job = { is: 'lines', mapping, ...EVERY_LINE } as const
      for await (const batch of firstRead(parser, job, source, turn)) yield* batch
    },
    /**
     * The lines of a file that was read to its end before. Its reader may take minutes: others read
     * meanwhile.
     */
    linesAgain: (
      open: () => StatementSource,
      mapping: ColumnMapping,
      turn: ParsingTurn,
    ): AsyncGenerator<StatementLine> => readAgain(parser, open, mapping, turn),
    async *rows(source: StatementSource, turn: ParsingTurn): AsyncGenerator<Row> {
      for await (const batch of firstRead(parser, { is: 'rows' }, source, turn)) yield* batch
    },
    async close(): Promise<void> {
      await Promise.all([parser.first.close(), parser.second.close()])
    },
  }
}

/** Resolves when the turn comes, to its release. */
function takeTurn(
  { after, inTurn, inTurnOfUnvalidated }: Parser,
  { group, unvalidatedAt, signal }: ParsingTurn,
): Promise<() => void> {
  const taken = Promise.withResolvers<() => void>()
  let isWaiting = true
  const give = (error: Error): void => {
    isWaiting = false
    taken.reject(error)
  }
  const leave = (): void => give(new ParsingStopped('the client has left'))
  const cancel = after(LONGEST_WAIT_MS, () => give(busy()))
  const hold = (): Promise<void> => {
    if (!isWaiting) return Promise.resolve()
    cancel()
    const held = Promise.withResolvers<void>()
    taken.resolve(held.resolve)
    return held.promise
  }
  if (signal?.aborted) leave()
  signal?.addEventListener('abort', leave, { once: true })
  const turn =
    unvalidatedAt === undefined
      ? inTurn(group, hold)
      : inTurnOfUnvalidated(widestNetwork(unvalidatedAt), () => inTurn(UNVALIDATED, hold))
  turn.catch(give).finally(() => {
    cancel()
    signal?.removeEventListener('abort', leave)
  })
  return taken.promise
}

/** Of an import that has begun: it must not fail because others read. */
async function waitForTurn(parser: Parser, turn: ParsingTurn): Promise<() => void> {
  for (;;) {
    try {
      return await takeTurn(parser, turn)
    } catch (error) {
      if (!(error instanceof ParserBusy)) throw error
      await new Promise<void>((resolve) => void parser.after(TRIED_AGAIN_AFTER_MS, resolve))
    }
  }
}

async function* firstRead<Job extends ParserJob>(
  parser: Parser,
  job: Job,
  source: StatementSource,
  turn: ParsingTurn,
  take = takeTurn,
) {
  const release = await take(parser, turn)
  const thread = parser.first.open()
  const read = { bytes: 0 }
  const stopWatching = watch(parser.after, thread, job, read, turn.signal)
  let isThreadFree = false
  try {
    yield* thread.run(job, counted(source, read))
    isThreadFree = true
  } catch (error) {
    isThreadFree = error instanceof StatementRefused
    throw error
  } finally {
    stopWatching()
    // It may be in the middle of the file.
    if (!isThreadFree) await thread.end(new ParsingStopped('its reader has left'))
    parser.first.rest()
    release()
  }
}

async function* readAgain(
  parser: Parser,
  open: () => StatementSource,
  mapping: ColumnMapping,
  turn: ParsingTurn,
): AsyncGenerator<StatementLine> {
  const { head, bytes } = await peek(open())
  if (isWorkbook(head)) {
    await bytes.return(undefined)
    yield* inParts(parser, open, mapping, turn)
    return
  }
  const thread = parser.second.open()
  try {
    for await (const batch of thread.run({ is: 'lines', mapping, ...EVERY_LINE }, bytes))
      yield* batch
  } finally {
    parser.second.rest()
  }
}

async function* inParts(
  parser: Parser,
  open: () => StatementSource,
  mapping: ColumnMapping,
  turn: ParsingTurn,
): AsyncGenerator<StatementLine> {
  for (let from = 0; ; from += WORKBOOK_PART) {
    const lines: StatementLine[] = []
    const part = { is: 'lines', mapping, from, most: WORKBOOK_PART } as const
    for await (const batch of firstRead(parser, part, open(), turn, waitForTurn))
      lines.push(...batch)
    yield* lines
    if (lines.length < WORKBOOK_PART) return
  }
}

async function* counted(
  source: StatementSource,
  read: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    read.bytes += chunk.length
    yield chunk
  }
}

/** Ends the thread when its job takes too long, or when nobody waits for the job any more. */
function watch(
  after: Clock['after'],
  thread: ParserThread,
  { is }: ParserJob,
  read: Readonly<{ bytes: number }>,
  signal: AbortSignal | undefined,
) {
  const mostMs = (): number =>
    MOST_CPU[is].ms + (MOST_CPU[is].msForMegabyte * read.bytes) / 1_000_000
  const tooMuch = (): Promise<void> => thread.end(new StatementRefused({ fault: 'needs_too_much' }))
  const cpuMs = (): Promise<number> => thread.cpuMs().catch(() => 0)
  let isOver = false
  let cancelNext = (): void => {}
  async function lookLater(before: Promise<number>): Promise<void> {
    const startedMs = await before
    if (isOver) return
    cancelNext = after(WATCHED_EVERY_MS, async () => {
      if (isOver) return
      if ((await cpuMs()) - startedMs > mostMs() && !isOver) await tooMuch()
      else void lookLater(before)
    })
  }
  void lookLater(cpuMs())
  const leave = (): void => void thread.end(new ParsingStopped('the client has left'))
  signal?.addEventListener('abort', leave, { once: true })
  const cancelLongest = after(LONGEST_MS, () => void tooMuch())
  return (): void => {
    isOver = true
    cancelNext()
    cancelLongest()
    signal?.removeEventListener('abort', leave)
  }
}

type OneThread = ReturnType<typeof oneThread>

/** A thread that is started when it is needed, and ended when it was idle for a while. */
function oneThread(after: Clock['after']) {
  let thread: ParserThread | undefined
  let readers = 0
  let cancel = (): void => {}
  let isClosed = false
  const end = async (why: string): Promise<void> => {
    const ended = thread
    thread = undefined
    await ended?.end(new ParsingStopped(why))
  }
  return {
    open(): ParserThread {
      if (isClosed) throw new ParsingStopped('the service stops')
      cancel()
      readers++
      if (thread?.isUsable() !== true) thread = openParserThread()
      return thread
    },
    rest(): void {
      readers--
      cancel()
      if (readers === 0) cancel = after(IDLE_MS, () => void end('it was idle'))
    },
    close(): Promise<void> {
      isClosed = true
      cancel()
      return end('the service stops')
    },
  }
}
