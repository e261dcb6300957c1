// Imports of statements, and taking them back: work of minutes, whose progress the page shows.
import type { ErrorBody, ImportEvent } from '../../../../server/src/dashboard-api/contract.ts'
import { type AddressOf, type AnswerOf, type Base, callOf, type Given } from '../../api/address.ts'
import { ApiError, language, readError, unlessUnreachable } from '../../api/client.ts'

/**
 * The server sends lines of JSON with its progress, the last of which has the result or
 * an error. A short answer is the result itself.
 */
export async function askLong<At extends Base, Of extends AddressOf<At>>(
  base: At,
  address: Of,
  progress: (event: ImportEvent) => void,
  ...[fields]: Given<At, Of>
): Promise<AnswerOf<At, Of>> {
  const { method, path, rest } = callOf(base, address, fields)
  const headers = { 'content-type': 'application/json', ...language() }
  return unlessUnreachable(async () => {
    const response = await fetch(path, { method, body: JSON.stringify(rest), headers })
    if (!response.ok) throw new ApiError(response.status, readError(await response.text()))
    if (response.headers.get('content-type')?.includes('ndjson') !== true)
      return (await response.json()) as AnswerOf<At, Of>
    for await (const line of linesOf(response)) {
      const event: LongEvent<AnswerOf<At, Of>> = JSON.parse(line)
      if ('error' in event) throw new ApiError(422, event.error)
      if ('result' in event) return event.result
      progress(event)
    }
    throw new Error('the answer ended without a result')
  })
}

type LongEvent<Result> = ImportEvent | { result: Result } | { error: ErrorBody }

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read()) {
    const lines = (rest + chunk.value).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
