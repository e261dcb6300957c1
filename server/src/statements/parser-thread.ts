// A thread that parses statement files. This file is both sides. The thread asks for the next bytes
// when it needs them, and sends what it has read in batches, a few before they are taken.
import {
  MessageChannel,
  type MessagePort,
  parentPort,
  Worker,
  workerData,
} from 'node:worker_threads'
import type { ColumnMapping, StatementLine } from '../domain/books/statement.ts'
import type { Row } from './csv-rows.ts'
import { StatementRefused } from './limits.ts'
import { readSample, type StatementSample } from './propose-mapping.ts'
import { readStatement } from './read-statement.ts'
import { type StatementSource, statementRows } from './statement-rows.ts'

/** What a file is read for, and what comes of it. */
interface Results {
  sample: StatementSample
  lines: StatementLine
  rows: Row
}

export type ParserJob =
  | { is: 'sample' }
  /** Of all lines of the file, `most` from the one that has `from` before it. */
  | {
      is: 'lines'
      mapping: ColumnMapping
      from: number
      most: number
    }
  | { is: 'rows' }

type Read<Job extends ParserJob> = Results[Job['is']]

type ToThread = { is: 'chunk'; bytes: Uint8Array<ArrayBuffer> | null } | { is: 'taken' }
type FromThread =
  | { is: 'more' }
  | { is: 'batch'; batch: unknown[] }
  | { is: 'done' }
  | { is: 'refused'; fault: StatementRefused['fault'] }
  | { is: 'failed'; why: unknown }

const THREAD = { karbaStatementParser: true }

/**
 * What a file within the limits needs, and some room. Buffers are outside of it: the bytes of a
 * workbook, its texts and its unpacked parts, each with a limit of its own (limits.ts).
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 3, stackSizeMb: 4 }

/** A millisecond or two of the event loop's time. */
const BATCH = 500
/**
 * On a busy machine each answer takes milliseconds: with one at a time, a file of a million lines
 * took minutes.
 */
const BATCHES_AHEAD = 4

export type ParserThread = ReturnType<typeof openParserThread>

export function openParserThread() {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: THREAD,
    resourceLimits: RESOURCE_LIMITS,
    // It needs no setting, and no secret.
    env: {},
    execArgv: [],
  })
  const jobs = new Set<(failure: Error) => void>()
  let failure: Error | undefined
  const fail = (error: Error): void => {
    failure ??= error
    for (const end of jobs) end(failure)
  }
  worker.on('error', (error: Error & { code?: string }) => {
    const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    fail(isTooLarge ? new StatementRefused({ fault: 'needs_too_much' }, { cause: error }) : error)
  })
  worker.on('exit', () => fail(new Error('the parser thread has ended')))
  // A job's own port keeps the process alive.
  worker.unref()

  return {
    isUsable: (): boolean => failure === undefined,
    cpuMs: async (): Promise<number> => {
      const { user, system } = await worker.cpuUsage()
      return (user + system) / 1_000
    },
    /** Ends the thread. Its jobs fail with this error. */
    async end(error: Error): Promise<void> {
      fail(error)
      await worker.terminate()
    },
    async *run<Job extends ParserJob>(
      job: Job,
      source: StatementSource,
    ): AsyncGenerator<Read<Job>[], void> {
      if (failure !== undefined) throw failure
      const { port1: mine, port2: theirs } = new MessageChannel()
      const inbox = messagesOf<FromThread>(mine)
      jobs.add(inbox.fail)
      worker.postMessage({ job, port: theirs }, [theirs])
      const chunks = source[Symbol.asyncIterator]()
      try {
        for (;;) {
          const message = await inbox.next()
          if (message.is === 'done') return
          if (message.is === 'refused') throw new StatementRefused(message.fault)
          if (message.is === 'failed') throw new Error('the parser failed', { cause: message.why })
          if (message.is === 'more') sendChunk(mine, await chunks.next())
          else {
            yield message.batch as Read<Job>[]
            mine.postMessage({ is: 'taken' } satisfies ToThread)
          }
        }
      } finally {
        jobs.delete(inbox.fail)
        mine.close()
        await chunks.return?.()
      }
    },
  }
}

/** A message with a view would copy the whole memory that the view is a part of. */
function sendChunk(port: MessagePort, { done, value }: IteratorResult<Uint8Array>): void {
  const bytes = done === true ? null : new Uint8Array(value)
  port.postMessage({ is: 'chunk', bytes } satisfies ToThread, bytes === null ? [] : [bytes.buffer])
}

/** The messages of a port, in order. */
function messagesOf<Message>(port: MessagePort) {
  const arrived: Message[] = []
  let failure: Error | undefined
  let waiting: PromiseWithResolvers<Message> | undefined
  port.on('message', (message: Message) => {
    if (waiting === undefined) arrived.push(message)
    else waiting.resolve(message)
    waiting = undefined
  })
  return {
    next(): Promise<Message> {
      const first = arrived.shift()
      if (first !== undefined) return Promise.resolve(first)
      if (failure !== undefined) return Promise.reject(failure)
      waiting = Promise.withResolvers()
      return waiting.promise
    },
    fail(error: Error): void {
      failure ??= error
      waiting?.reject(failure)
      waiting = undefined
    },
  }
}

// In the thread.

type Started = { job: ParserJob; port: MessagePort }

async function serve({ job, port }: Started): Promise<void> {
  const send = (message: FromThread): void => port.postMessage(message)
  const { source, sent } = answersOf(port, send)
  try {
    let batch: unknown[] = []
    const flush = async (): Promise<void> => {
      send({ is: 'batch', batch })
      batch = []
      await sent()
    }
    for await (const read of readFor(job, source)) {
      batch.push(read)
      if (batch.length === BATCH) await flush()
    }
    if (batch.length > 0) await flush()
    send({ is: 'done' })
  } catch (error) {
    if (error instanceof StatementRefused) send({ is: 'refused', fault: error.fault })
    else send({ is: 'failed', why: error instanceof Error ? error.stack : error })
  } finally {
    port.close()
  }
}

/**
 * What the other side answers: the next bytes, and that a batch is taken. Both fail when it closes
 * the port.
 */
function answersOf(port: MessagePort, send: (message: FromThread) => void) {
  let chunk = Promise.withResolvers<Uint8Array | null>()
  let taken = Promise.withResolvers<void>()
  let ahead = 0
  port.on('message', (message: ToThread) => {
    if (message.is === 'chunk') return chunk.resolve(message.bytes)
    ahead--
    taken.resolve()
  })
  port.on('close', () => {
    for (const waiting of [chunk, taken]) {
      waiting.promise.catch(() => {})
      waiting.reject(new Error('nobody reads this file any more'))
    }
  })
  async function* source(): AsyncGenerator<Uint8Array> {
    for (;;) {
      send({ is: 'more' })
      const bytes = await chunk.promise
      if (bytes === null) return
      chunk = Promise.withResolvers()
      yield bytes
    }
  }
  return {
    source: source(),
    /** Resolves when the next batch may be sent. */
    async sent(): Promise<void> {
      ahead++
      while (ahead === BATCHES_AHEAD) {
        await taken.promise
        taken = Promise.withResolvers()
      }
    },
  }
}

async function* readFor(job: ParserJob, source: StatementSource): AsyncGenerator<unknown> {
  if (job.is === 'sample') yield await readSample(source)
  else if (job.is === 'rows') yield* statementRows(source, () => false)
  else yield* part(readStatement(source, job.mapping), job)
}

async function* part<Item>(
  items: AsyncGenerator<Item>,
  { from, most }: { from: number; most: number },
) {
  let passed = 0
  for await (const item of items) {
    if (++passed > from) yield item
    if (passed === from + most) return
  }
}

if (
  parentPort !== null &&
  (workerData as Partial<typeof THREAD> | null)?.karbaStatementParser === true
)
  parentPort.on('message', (started: Started) => void serve(started))
