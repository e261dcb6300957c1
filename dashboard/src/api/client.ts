// The HTTP client: JSON on the same origin with the session's cookie. A refusal is an ApiError.
import type { ErrorBody } from '../../../server/src/dashboard-api/contract.ts'

const BASE = '/dashboard/api/'

export class ApiError extends Error {
  readonly status: number
  readonly body: ErrorBody

  constructor(status: number, body: ErrorBody) {
    super(`${status} ${body.code}`)
    this.status = status
    this.body = body
  }
}

const UNREACHABLE: ErrorBody = { code: 'unreachable' }

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> =>
  ask('GET', path, undefined, signal)
export const post = <T>(path: string, body: object = {}): Promise<T> => ask('POST', path, body)
export const put = <T>(path: string, body: object): Promise<T> => ask('PUT', path, body)
export const patch = <T>(path: string, body: object): Promise<T> => ask('PATCH', path, body)
export const remove = <T>(path: string): Promise<T> => ask('DELETE', path, {})

export const sendFile = <T>(method: 'POST' | 'PUT', path: string, file: Blob): Promise<T> =>
  exchange(path, {
    method,
    body: file,
    headers: { 'content-type': file.type || 'application/octet-stream' },
  })

/**
 * Downloads a file under the name that the server gives it. Not by a link: the browser would save a
 * refusal as the file, and a cut transfer as a complete file. `onPart` gets each part as it
 * arrives.
 */
export async function saveFile(
  path: string,
  onPart: (part: Uint8Array) => void = () => {},
): Promise<void> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const { headers } = await unlessUnreachable(async () => {
    const response = await fetch(BASE + path, { headers: language() })
    if (!response.ok) throw new ApiError(response.status, readError(await response.text()))
    const reader = response.body?.getReader()
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      parts.push(part.value)
      onPart(part.value)
    }
    return response
  })
  const address = URL.createObjectURL(new Blob(parts, { type: headers.get('content-type') ?? '' }))
  Object.assign(document.createElement('a'), {
    href: address,
    download: fileName(headers) ?? 'karba',
  }).click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** `filename="a.csv"`, or `filename*=UTF-8''a%20b.csv`. */
function fileName(headers: Headers): string | undefined {
  const name = /filename(?:="|\*=UTF-8'')([^";]+)/.exec(
    headers.get('content-disposition') ?? '',
  )?.[1]
  return name === undefined ? undefined : decodeURIComponent(name)
}

/** For links and images, which the browser opens itself. */
export const addressOf = (path: string): string => BASE + path

export function query(
  parameters: Readonly<Record<string, string | number | undefined | null>>,
): string {
  const wanted = Object.entries(parameters).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  return wanted.length === 0
    ? ''
    : `?${new URLSearchParams(wanted.map(([name, value]) => [name, String(value)]))}`
}

function ask<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> {
  return exchange(path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
    ...(signal && { signal }),
  })
}

/** The server answers refusals in the language of the page. */
const language = () => ({ 'accept-language': document.documentElement.lang })

/**
 * Long work: the server sends lines of JSON with its progress, the last of which has the result or
 * an error. A short answer is the result itself.
 */
export async function postLong<Result, Progress>(
  path: string,
  body: object,
  progress: (event: Progress) => void,
): Promise<Result> {
  const headers = { 'content-type': 'application/json', ...language() }
  return unlessUnreachable(async () => {
    const response = await fetch(BASE + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers,
    })
    if (!response.ok) throw new ApiError(response.status, readError(await response.text()))
    if (response.headers.get('content-type')?.includes('ndjson') !== true)
      return (await response.json()) as Result
    for await (const line of linesOf(response)) {
      const event = JSON.parse(line) as { result?: Result; error?: ErrorBody }
      if (event.error !== undefined) throw new ApiError(422, event.error)
      if (event.result !== undefined) return event.result
      progress(event as Progress)
    }
    throw new Error('the answer ended without a result')
  })
}

async function unlessUnreachable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError(0, UNREACHABLE)
  }
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read()) {
    const lines = (rest + chunk.value).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

async function exchange<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response
  try {
    response = await fetch(BASE + path, { ...init, headers: { ...init.headers, ...language() } })
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw new ApiError(0, UNREACHABLE)
  }
  const text = await response.text()
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T
  throw new ApiError(response.status, readError(text))
}

function readError(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && 'code' in body) return body as ErrorBody
  } catch {
    // An answer without a code, such as a proxy's own error page.
  }
  return { code: 'unexpected' }
}
