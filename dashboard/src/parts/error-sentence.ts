// The sentence for whatever went wrong: the server's, else by the code, else by the status, else the one for everything.
import { ApiError } from '../api/client.ts'
import { useWords } from '../words/language.tsx'

const UNEXPECTED = new ApiError(500, { code: 'unexpected' })

export function useErrorSentence(): (error: unknown) => string {
  const { errors } = useWords()
  return (error) => {
    const { status, body } = error instanceof ApiError ? error : UNEXPECTED
    const sentence =
      body.message ?? errors.byCode[body.code] ?? errors.byStatus[status] ?? (errors.byCode.unexpected as string)
    const { retryAfterSeconds } = body
    return retryAfterSeconds === undefined ? sentence : `${sentence} ${errors.waitSeconds(retryAfterSeconds)}`
  }
}
