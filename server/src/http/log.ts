// Logs are JSON lines on stdout. The request line is made of our own words alone; redaction is the second fence, for a line
// that somebody adds later.
import { type DestinationStream, destination, type Logger, pino } from 'pino'

const SECRET_PATHS = ['authorization', 'secret', 'password', 'token', 'key'].flatMap((name) => [name, `*.${name}`])

export function makeLog(level: string, to: DestinationStream = destination({ fd: 1, sync: false })): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: [...SECRET_PATHS, 'req.headers', 'headers'], censor: '[hidden]' },
      serializers: { err: describeError },
    },
    to,
  )
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
