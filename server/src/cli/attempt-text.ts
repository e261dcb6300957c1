// One line about an attempt to deliver a webhook.

interface Attempt {
  statusCode: number | null
  durationMs: number
  error: string | null
}

export function attemptText({ statusCode, durationMs, error }: Attempt): string {
  if (statusCode === null) return `${error ?? 'no answer'} (${durationMs} ms)`
  return `it answered ${statusCode} in ${durationMs} ms${error === null ? '' : ` (${error})`}`
}
