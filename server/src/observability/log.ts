// Logs are JSON lines on stdout. The line for a request has only fields of our own choice; redaction is a second safeguard, for lines that
// are added later.
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
 * Lines are flushed in blocks, at least ten times a second: a system call for each line made reads a third slower.
 * If stdout is not read, the oldest 16 MB are kept and new lines are dropped, because a stuck log reader must not stop payments.
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
