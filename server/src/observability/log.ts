// Logs are JSON lines on stdout. The request line is made of our own words alone; redaction is the second fence, for a line
// that somebody adds later.
import { type DestinationStream, destination, type Logger, pino } from 'pino'

const SECRET_PATHS = ['authorization', 'secret', 'password', 'token', 'key', 'headers', 'req']

export function makeLog(level: string, to: DestinationStream = standardOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: SECRET_PATHS, censor: '[hidden]' },
      serializers: { err: describeError },
    },
    to,
  )
}

/**
 * Lines leave in blocks, ten times a second at the latest: a system call for each line cost a read a third of its speed.
 * When nobody takes them away the oldest 16 MB wait and new ones are dropped, because a stuck reader must not stop payments.
 */
function standardOutput(): DestinationStream {
  return destination({ fd: 1, sync: false, minLength: 8_192, periodicFlush: 100, maxLength: 16_000_000 })
}

/** Name, message, code, stack and causes. A driver's other fields can hold a row's values, so they stay out. */
function describeError(error: Error & { code?: string }): object {
  return {
    type: error.name,
    message: error.message,
    code: error.code,
    stack: error.stack,
    cause: error.cause instanceof Error ? describeError(error.cause) : undefined,
  }
}
