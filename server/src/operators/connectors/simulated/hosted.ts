// The connector to the simulated card and wallet provider: a hosted method over HTTP, as for a real provider.
import type { OperatorAnswer } from '../../../domain/outcome.ts'
import type { HostedMethodName } from '../../../domain/payment-link.ts'
import type { WireAnswer } from '../../../simulator/network.ts'
import type { HostedMethod } from '../../hosted-method.ts'
import type { Call } from '../../http-call.ts'
import { callbackReader, notAnswered, readAnswer, type SimulatorConnection } from './mobile.ts'

export function simulatedHosted(connection: SimulatorConnection & { name: HostedMethodName }): HostedMethod {
  const { name, send: sendCall, token } = connection
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  async function send(what: Pick<Call, 'method' | 'path'>, body?: object): Promise<OperatorAnswer | { body: object }> {
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const result = await sendCall({ ...what, headers, ...text })
    if ('failed' in result) return notAnswered(result)
    return result.code === 200 ? { body: result.body as object } : { is: 'unknown', why: `HTTP ${result.code}` }
  }

  async function ask(what: Pick<Call, 'method' | 'path'>, body?: object): Promise<OperatorAnswer> {
    const answer = await send(what, body)
    return 'body' in answer ? readAnswer(answer.body as WireAnswer) : answer
  }

  return {
    name,
    async open({ reference, amountXof, merchantName, title, returnUrl }) {
      const session = {
        reference,
        method: name,
        amount: amountXof,
        merchant: merchantName,
        title,
        return_url: returnUrl,
      }
      const answer = await send({ method: 'POST', path: '/sessions' }, session)
      const page = 'body' in answer ? (answer.body as { page_url?: unknown }).page_url : undefined
      return typeof page === 'string' ? URL.parse(page)?.href : undefined
    },
    cancel: (reference) => ask({ method: 'POST', path: `/sessions/${reference}/cancel` }, {}),
    status: (reference) => ask({ method: 'GET', path: `/sessions/${reference}` }),
    // The session was opened when the attempt began. If that was not recorded, a status call is all that is left to do.
    request: ({ reference }) => ask({ method: 'GET', path: `/sessions/${reference}` }),
    refund: ({ refundReference, reference, amountXof }) =>
      ask({ method: 'POST', path: '/refunds' }, { refund_reference: refundReference, reference, amount: amountXof }),
    refundStatus: ({ refundReference }) => ask({ method: 'GET', path: `/refunds/${refundReference}` }),
    parseCallback: callbackReader(token),
  }
}
