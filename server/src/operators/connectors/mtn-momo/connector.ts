// The connector to MTN MoMo: payments by the Collection product, refunds by the Disbursement product where its credentials are there.
// facts.md says what the network's documents say.
import type { OperatorAnswer, RefundAnswer } from '../../../domain/operator-report.ts'
import { uuidOfReference } from '../../../domain/reference.ts'
import { type Connection, type ConnectionDeps, defineConnector } from '../../connector.ts'
import type { Operator } from '../../operator.ts'
import { faultOfCallbackUrl, readCallback } from './callback.ts'
import { checkConnection } from './check.ts'
import { type MtnMomoOptions, mtnMomoOptions, PLATFORMS, SANDBOX_ADDRESS } from './options.ts'
import { momoProduct, type Product, type ProductCall } from './product.ts'
import { readRequestAnswer, readStatusAnswer } from './translate.ts'
import { refundBody, requestToPayBody } from './wire.ts'

/** How long a network that says 503 is left alone before the same reference is sent once more. */
const PAUSE_AFTER_503_MS = 2_000

export const mtnMomo = defineConnector<MtnMomoOptions>({
  name: 'mtn-momo',
  addresses: { live: PLATFORMS.new.address, sandbox: SANDBOX_ADDRESS },
  prompts: ['mtn_bj'],
  pages: [],
  options: mtnMomoOptions,
  connect,
})

function connect(deps: ConnectionDeps, options: MtnMomoOptions): Connection {
  const { name, send, clock, deadlineMs } = deps
  const base = { options, send, clock, deadlineMs }
  const collection = momoProduct({ ...base, product: 'collection', credentials: options })
  const disbursement =
    options.disbursement && momoProduct({ ...base, product: 'disbursement', credentials: options.disbursement })

  const callbackHeader = (reference: string): Record<string, string> => {
    const url = options.sendsCallbackUrl ? deps.callbackUrl(reference) : undefined
    // No header at all where there is no address: an empty one is answered with 400.
    return url && faultOfCallbackUrl(url, deps.environment) === undefined ? { 'x-callback-url': url } : {}
  }

  /** `isSecond` after a 503: a gateway may say that although the network has taken the first call. */
  async function post(
    product: Product,
    call: ProductCall,
    endsAt: number,
  ): Promise<{ result: Awaited<ReturnType<Product['call']>>; isSecond: boolean }> {
    const first = await product.call(call, endsAt)
    const isUnavailable = 'code' in first && first.code === 503
    if (!isUnavailable || endsAt - clock.now() <= 2 * PAUSE_AFTER_503_MS) return { result: first, isSecond: false }
    await new Promise<void>((resolve) => void clock.after(PAUSE_AFTER_503_MS, resolve))
    return { result: await product.call(call, endsAt), isSecond: true }
  }

  interface Asked {
    product: Product
    kind: 'payment' | 'refund'
    reference: string
  }

  async function askFor({ product, kind, reference }: Asked, body: object, headers = {}): Promise<OperatorAnswer> {
    const endsAt = clock.now() + deadlineMs
    const id = uuidOfReference(reference)
    const call: ProductCall = {
      method: 'POST',
      path: PATHS[kind],
      headers: { 'x-reference-id': id, ...headers },
      body: JSON.stringify(body),
    }
    const { result, isSecond } = await post(product, call, endsAt)
    const answer = 'is' in result ? result : readRequestAnswer(result, kind)
    if (answer !== 'duplicate') return isSecond ? mayHaveLeft(answer) : answer
    const known = await askAbout({ product, kind, reference }, endsAt)
    // It has the reference, whatever reading it says: a payment that is not shown yet must not count as never received.
    const saysMore = known.is !== 'not_known' && known.is !== 'unknown'
    return saysMore ? known : { is: 'accepted', code: 'RESOURCE_ALREADY_EXIST' }
  }

  async function askAbout(
    { product, kind, reference }: Asked,
    endsAt = clock.now() + deadlineMs,
  ): Promise<OperatorAnswer> {
    const id = uuidOfReference(reference)
    const result = await product.call({ method: 'GET', path: `${PATHS[kind]}/${id}` }, endsAt)
    return 'is' in result ? result : readStatusAnswer(result, { kind, currency: options.currency, id })
  }

  const operator: Operator = {
    name,
    request: (order) =>
      askFor(
        { product: collection, kind: 'payment', reference: order.reference },
        requestToPayBody(order, options),
        callbackHeader(order.reference),
      ),
    status: (reference) => askAbout({ product: collection, kind: 'payment', reference }),
    refund: async (reversal): Promise<RefundAnswer> => {
      if (disbursement === undefined) return BY_HAND
      const { refundReference } = reversal
      return askFor(
        { product: disbursement, kind: 'refund', reference: refundReference },
        refundBody(reversal, options),
      )
    },
    refundStatus: async ({ refundReference }): Promise<RefundAnswer> =>
      disbursement === undefined
        ? BY_HAND
        : askAbout({ product: disbursement, kind: 'refund', reference: refundReference }),
    parseCallback: readCallback,
  }
  return { operator, check: () => checkConnection({ deps, options, collection, disbursement }) }
}

/** That the second call never left says nothing about the first. */
function mayHaveLeft(answer: OperatorAnswer): OperatorAnswer {
  if (answer.is !== 'unknown') return answer
  const { neverLeft: _, ...rest } = answer
  return rest
}

const PATHS = { payment: '/v1_0/requesttopay', refund: '/v1_0/refund' } as const

const BY_HAND: RefundAnswer = {
  is: 'by_hand',
  why: 'this connection has no credentials of the Disbursement product: refund in the partner portal of MTN',
}
