// Statements of pawaPay: asked for, looked at until they are made, and downloaded from the address
// that pawaPay names. An answer about another statement, wallet or period is refused.
import {
  type FetchFailure,
  type FetchPeriod,
  fetchFailure,
  StatementBrokeOff,
} from '../../../domain/books/statement-fetch.ts'
import {
  type Download,
  failureOf,
  type NetworkStatements,
  type OpenedStatement,
} from '../../connector.ts'
import { asObject, asText, type CallResult, type JsonObject } from '../../http-call.ts'
import type { PawapayCaller } from './calls.ts'
import { asCode, COUNTRY, CURRENCY, failureCodeIn } from './translate.ts'

interface StatementDeps {
  call: PawapayCaller
  download: Download
  timeoutMs: number
  /** Where pawaPay may call back; the callback is answered and ignored. */
  callbackUrl: string | undefined
  /** Of an account with a wallet for each provider. */
  walletProvider: string | undefined
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function pawapayStatements(deps: StatementDeps): NetworkStatements {
  const { call, download, timeoutMs, callbackUrl, walletProvider: provider } = deps
  const wallet = {
    country: COUNTRY,
    currency: CURRENCY,
    ...(provider !== undefined && { provider }),
  }
  return {
    async request({ from, to }) {
      const callback = callbackUrl?.startsWith('https://') ? { callbackUrl } : {}
      const period = { startDate: writtenTime(from), endDate: writtenTime(to) }
      const body = { wallet, ...callback, ...period, compressed: true }
      return readRequest(await call({ path: '/v2/statements', body, timeoutMs }))
    },
    async open(requestId, period) {
      const shown = readState(await call({ path: `/v2/statements/${requestId}`, timeoutMs }))
      if ('is' in shown) return shown
      const { state } = shown
      const wrong = mismatchIn(state, { requestId, wallet, period })
      if (wrong !== undefined)
        return { ...fetchFailure('answer_not_valid', wrong), isRequestGone: true }
      const status = asText(state.status) ?? ''
      if (status === 'ACCEPTED' || status === 'PROCESSING') return { is: 'not_ready' }
      if (status === 'FAILED')
        return {
          ...fetchFailure('not_made', failureCodeIn(state) ?? 'FAILED'),
          isRequestGone: true,
        }
      if (status !== 'COMPLETED')
        return fetchFailure('answer_not_valid', `status ${asCode(status).slice(0, 40)}`)
      const opened = await download(asText(state.downloadUrl) ?? '')
      return opened.is === 'failed' ? opened : whole(opened, state.fileSize)
    },
  }
}

/** As in 2025-05-10T10:00:00, which is UTC. */
const writtenTime = (at: number): string => new Date(at).toISOString().slice(0, 19)
const timeIn = (value: unknown): number => Date.parse((asText(value) ?? '').replace(/Z?$/, 'Z'))

function readRequest(result: CallResult): { is: 'requested'; requestId: string } | FetchFailure {
  const body = 'code' in result ? asObject(result.body) : undefined
  const isRead = 'code' in result && (result.code === 200 || result.code === 400)
  if (isRead && body?.status === 'ACCEPTED') {
    const requestId = asText(body.statementId)?.toLowerCase() ?? ''
    if (UUID.test(requestId)) return { is: 'requested', requestId }
    return fetchFailure('answer_not_valid', 'ACCEPTED without an id')
  }
  const code = failureCodeIn(body)
  if (isRead && code !== undefined) return fetchFailure('request_refused', code)
  return failureOf(result)
}

function readState(result: CallResult): { state: JsonObject } | FetchFailure {
  const body = 'code' in result ? asObject(result.body) : undefined
  if (body?.status === 'NOT_FOUND')
    return {
      ...fetchFailure('not_made', 'pawaPay does not know the statement any more'),
      isRequestGone: true,
    }
  const state = body?.status === 'FOUND' ? asObject(body.data) : undefined
  return 'code' in result && result.code === 200 && state !== undefined
    ? { state }
    : failureOf(result)
}

interface Expected {
  requestId: string
  wallet: Readonly<Record<string, string>>
  period: FetchPeriod
}

function mismatchIn(
  state: JsonObject,
  { requestId, wallet, period }: Expected,
): string | undefined {
  if (asText(state.statementId)?.toLowerCase() !== requestId)
    return 'the answer is about another statement'
  const shown = asObject(state.wallet) ?? {}
  const isWallet = ['country', 'currency', 'provider'].every(
    (name) => asText(shown[name]) === wallet[name],
  )
  if (!isWallet) return 'the answer is about another wallet'
  const isPeriod = timeIn(state.startDate) === period.from && timeIn(state.endDate) === period.to
  return isPeriod ? undefined : 'the answer is about another period'
}

/** A file of another size than pawaPay says was cut off. */
function whole({ content }: OpenedStatement, fileSize: unknown): OpenedStatement {
  async function* counted(): AsyncGenerator<Uint8Array> {
    let bytes = 0
    for await (const chunk of content) {
      bytes += chunk.length
      yield chunk
    }
    if (Number.isSafeInteger(fileSize) && bytes !== fileSize)
      throw new StatementBrokeOff(fetchFailure('download_failed', `${bytes} of ${fileSize} bytes`))
  }
  return { is: 'ready', content: counted() }
}
