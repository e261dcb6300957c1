// How an attempt to deliver a webhook is told in a line.

interface Attempt {
  statusCode: number | null
  durationMs: number
  error: string | null
}

export function attemptWords({ statusCode, durationMs, error }: Attempt): string {
  if (statusCode === null) return `${error ?? 'no answer'} (${durationMs} ms)`
  return `it answered ${statusCode} in ${durationMs} ms${error === null ? '' : ` (${error})`}`
}
