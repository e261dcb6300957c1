// The HTTP client: JSON on the same origin with the session's cookie. A refusal is an ApiError.
import type { ErrorBody } from '../../../server/src/dashboard-api/contract.ts'
import {
  type AddressOf,
  type AnswerOf,
  type Base,
  callOf,
  type Given,
  type ReadOf,
  urlOf,
} from './address.ts'

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

/** Asks the server; the answer of a refusal is thrown. */
export function ask<At extends Base, Of extends AddressOf<At>>(
  base: At,
  address: Of,
  ...[fields]: Given<At, Of>
): Promise<AnswerOf<At, Of>> {
  return askUntil(base, address, fields)
}

export function read<At extends Base, Of extends ReadOf<At>>(
  base: At,
  address: Of,
  fields: unknown,
  signal: AbortSignal,
): Promise<AnswerOf<At, Of>> {
  return askUntil(base, address, fields, signal)
}

function askUntil<T>(
  base: Base,
  address: string,
  fields: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const call = callOf(base, address, fields)
  if (call.method === 'GET') return exchange(urlOf(call), { ...(signal && { signal }) })
  return exchange(call.path, {
    method: call.method,
    body: JSON.stringify(call.rest),
    headers: { 'content-type': 'application/json' },
  })
}

export function sendFile<At extends Base, Of extends AddressOf<At>>(
  base: At,
  address: Of,
  file: Blob,
  ...[fields]: Given<At, Of>
): Promise<AnswerOf<At, Of>> {
  const call = callOf(base, address, fields)
  return exchange(urlOf(call), {
    method: call.method,
    body: file,
    headers: { 'content-type': file.type || 'application/octet-stream' },
  })
}

/** For links and images, which the browser opens itself, and for `saveFile`. */
export const fileAt = <At extends Base, Of extends ReadOf<At>>(
  base: At,
  address: Of,
  ...[fields]: Given<At, Of>
): string => urlOf(callOf(base, address, fields))

/**
 * Downloads a file under the name that the server gives it. Not by a link: the browser would save a
 * refusal as the file, and a cut transfer as a complete file. `onPart` gets each part as it
 * arrives.
 */
export async function saveFile(
  url: string,
  onPart: (part: Uint8Array) => void = () => {},
): Promise<void> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const { headers } = await unlessUnreachable(async () => {
    const response = await fetch(url, { headers: language() })
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

/** The server answers refusals in the language of the page. */
export const language = () => ({ 'accept-language': document.documentElement.lang })

export async function unlessUnreachable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError(0, UNREACHABLE)
  }
}

async function exchange<T>(url: string, init: RequestInit): Promise<T> {
  let response: Response
  try {
    response = await fetch(url, { ...init, headers: { ...init.headers, ...language() } })
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw new ApiError(0, UNREACHABLE)
  }
  const text = await response.text()
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T
  throw new ApiError(response.status, readError(text))
}

export function readError(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && 'code' in body) return body as ErrorBody
  } catch {
    // An answer without a code, such as a proxy's own error page.
  }
  return { code: 'unexpected' }
}
