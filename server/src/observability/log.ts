// Logs are lines on stdout: JSON, or text in a terminal. The line for a request has only fields of
// our own choice; redaction is a second safeguard, for lines that are added later.

import { isatty } from 'node:tty'
import { styleText } from 'node:util'
import { LRUCache } from 'lru-cache'
import { type DestinationStream, destination, type Logger, pino, symbols } from 'pino'
import type { Clock } from '../domain/clock-and-random.ts'
import { maskCardNumbers } from '../domain/texts/free-text.ts'

const SECRET_PATHS = ['authorization', 'secret', 'password', 'token', 'key', 'headers', 'req']

export function makeLog(level: string, to: DestinationStream = standardOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: SECRET_PATHS, censor: '[hidden]' },
      serializers: { err: describeError },
      hooks: { streamWrite: maskCardNumbers },
    },
    to,
  )
}

const STDOUT = 1
/** The size of a block of log lines. A crash loses at most one block. */
const BLOCK = 131_072
/** A block with less room left is not filled any further. */
const LEAST_ROOM = 16_384
const WRITTEN_EVERY_MS = 100
const MOST_UNREAD_BYTES = 16_000_000
/** UTF-8 bytes for each UTF-16 unit of a string. */
const MOST_BYTES_OF_UNIT = 3

/**
 * Lines are written in blocks of bytes: a system call for each line made reads a third slower,
 * pino's own stream cost 4 µs a line, and a block of text 2 µs more than one of bytes. If stdout is
 * not read, or its disk is full, the oldest 16 MB are kept and new lines are dropped: the log must
 * not stop payments. An orderly end, also after an uncaught error, writes everything. `auto` is
 * text in a terminal and JSON elsewhere.
 */
export function standardOutput(format: 'auto' | 'json' | 'text' = 'auto'): DestinationStream {
  const times = { minLength: 1, periodicFlush: WRITTEN_EVERY_MS, maxLength: MOST_UNREAD_BYTES }
  // The stream takes bytes too, which pino's types do not know.
  const stream = destination({ fd: STDOUT, sync: false, ...times, contentMode: 'buffer' })
  const write = stream.write.bind(stream) as unknown as (block: Buffer) => boolean
  const [flush, flushSync] = [stream.flush.bind(stream), stream.flushSync.bind(stream)]
  let block = Buffer.allocUnsafe(BLOCK)
  let [written, filled] = [0, 0]
  let failed = false
  const isText = format === 'text' || (format === 'auto' && isatty(STDOUT))
  const isColoured = isatty(STDOUT) && !process.env.NO_COLOR
  stream.on('error', () => {
    failed = true
  })
  stream.on('write', () => {
    failed = false
  })

  function writeBlock(): void {
    if (filled > written) write(block.subarray(written, filled))
    written = filled
    if (BLOCK - filled >= LEAST_ROOM) return
    block = Buffer.allocUnsafe(BLOCK)
    written = filled = 0
  }

  return Object.assign(stream, {
    write(json: string): boolean {
      const line = isText ? textLine(json, isColoured) : json
      const most = line.length * MOST_BYTES_OF_UNIT
      if (filled + most > BLOCK) writeBlock()
      if (filled + most > BLOCK) return write(Buffer.from(line))
      filled += block.write(line, filled)
      return true
    },
    flush(done?: (error?: Error) => void): void {
      // Ten times a second the library would write no bytes. After a failure it writes again what
      // it keeps.
      if (filled === written && !failed && !done) return
      writeBlock()
      flush(done)
    },
    flushSync(): void {
      // Otherwise the write would be asynchronous, and the process could exit before it is done.
      Object.assign(stream, { sync: true })
      writeBlock()
      flush()
      // This would retry a failing write for ever.
      if (!failed) flushSync()
      Object.assign(stream, { sync: false })
    },
  })
}

/** A request that was answered, with fields of our own choice only. */
export interface AnsweredRequest {
  id: string
  method: string
  /** The route's pattern. */
  route: string
  status: number
  ms: number
  address: string
  caller: { keyId: string; accountId: string } | undefined
  paymentReference: string | undefined
  refusal: string | undefined
}

interface LineWriter {
  [symbols.streamSym]: DestinationStream
  /** `,"time":` and the time. */
  [symbols.timeSym](): string
}

const INFO = pino.levels.values.info

/** Returns a function that writes a request's line at a sixth of the cost of `log.info`. */
export function requestLog(log: Logger): (answered: AnsweredRequest, network: string) => void {
  const writer = log as unknown as LineWriter
  const field = (name: string, value: string | undefined): string =>
    value === undefined ? '' : `,"${name}":"${value}"`
  return ({ id, method, route, status, ms, caller, paymentReference, refusal }, network) => {
    if (!log.isLevelEnabled('info')) return
    // Only the network may hold what a caller wrote: a proxy passes it on.
    writer[symbols.streamSym].write(
      `{"level":${INFO}${writer[symbols.timeSym]()},"request":"${id}","method":"${method}","route":"${route}","status":${status}` +
        `,"ms":${Math.round(ms * 100) / 100},"network":${JSON.stringify(maskCardNumbers(network))}${field('keyId', caller?.keyId)}` +
        `${field('account', caller?.accountId)}${field('payment', paymentReference)}${field('refusal', refusal)}}\n`,
    )
  }
}

const MOST_NETWORKS = 10_000
const MINUTE_MS = 60_000
/**
 * A shop with an old key tries it as often as it sells; more than this in a minute is worth a look.
 */
const LOGGED_AT = 30

type Tries = { since: number; count: number }

/** Returns a function that counts refused keys by network, and warns once a minute about many. */
export function refusedKeys(
  clock: Pick<Clock, 'now'>,
  log: Pick<Logger, 'warn'>,
): (network: string) => void {
  const networks = new LRUCache<string, Tries>({ max: MOST_NETWORKS })
  return (network) => {
    const now = clock.now()
    let tries = networks.get(network)
    if (tries === undefined || Math.abs(now - tries.since) >= MINUTE_MS) {
      tries = { since: now, count: 0 }
      networks.set(network, tries)
    }
    tries.count++
    if (tries.count === LOGGED_AT)
      log.warn({ network }, `${LOGGED_AT} keys of this network were refused within a minute`)
  }
}

/**
 * Name, message, code, stack and causes. A driver's other fields can hold a row's values, so they
 * stay out.
 */
function describeError(error: Error & { code?: string }): object {
  return {
    type: error.name,
    // Before JSON escapes them: the whole line is searched too, but there an escaped line break
    // ends in the letter n.
    message: maskCardNumbers(error.message),
    code: error.code,
    stack: error.stack && maskCardNumbers(error.stack),
    cause: error.cause instanceof Error ? describeError(error.cause) : undefined,
  }
}

// A log line as a person reads it in a terminal: time (UTC), level, message, fields, and the stack
// of an error. Made from the JSON line, so that both formats show the same fields and hide the same
// secrets.

const LEVELS = new Map<unknown, [name: string, style: 'dim' | 'green' | 'yellow' | 'red']>([
  [20, ['DEBUG', 'dim']],
  [30, ['INFO', 'green']],
  [40, ['WARN', 'yellow']],
  [50, ['ERROR', 'red']],
  [60, ['FATAL', 'red']],
])

type Fields = Record<string, unknown>

export function textLine(line: string, isColoured: boolean): string {
  const { level, time, msg, err, method, route, status, ms, ...fields } = JSON.parse(line) as Fields
  const paint = (style: 'dim' | 'green' | 'yellow' | 'red', text: string): string =>
    isColoured ? styleText(style, text, { validateStream: false }) : text
  const [name, style] = LEVELS.get(level) ?? [String(level), 'dim']
  const message =
    route === undefined ? plain(msg ?? '') : plain(`${method} ${route} ${status} ${ms} ms`)
  const rest = Object.entries(fields).map(
    ([field, value]) => paint('dim', `${plain(field)}=`) + shown(value),
  )
  const head = [
    paint('dim', new Date(Number(time)).toISOString().slice(11)),
    paint(style, name.padEnd(5)),
    message,
  ]
  return `${[...head, ...rest].join(' ')}\n${stackOf(err)}`
}

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { type, message, code, stack, cause } = error as Fields
  const own = typeof stack === 'string' ? stack : `${type}: ${message}`
  const lines = own.split('\n').map((line) => `    ${plain(line.trim())}\n`)
  if (code !== undefined) lines.splice(1, 0, `    code=${shown(code)}\n`)
  return lines.join('') + stackOf(cause).replace(/^ {4}/, '    caused by ')
}

/** Quoted where its end would be unclear. */
function shown(value: unknown): string {
  const isWord = typeof value === 'string' && /^[^\s"=]+$/.test(value)
  return plain(isWord ? value : JSON.stringify(value))
}

/**
 * Without characters that command a terminal or turn the direction of text: others may have written
 * a value.
 */
const plain = (value: unknown): string =>
  String(value).replace(
    /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
