// The connector to pawaPay's Merchant API v2, an aggregator for MTN and Moov in Benin. facts.md has
// its sources.

import { withDigits } from '../../../domain/countries/msisdn.ts'
import type { OperatorAnswer, RefundAnswer } from '../../../domain/payments/operator-report.ts'
import { uuidOfReference } from '../../../domain/payments/reference.ts'
import { lookUp } from '../../../domain/texts/free-text.ts'
import { defineConnector, plainCallbackUrl } from '../../connector.ts'
import type { CallResult } from '../../http-call.ts'
import type { Collection, Operator, Reversal } from '../../operator.ts'
import { configurationCache } from './active-configuration.ts'
import { callbackReader, pinnedKey, publicKeys } from './callbacks.ts'
import { ADDRESSES, type PawapayOptions, pawapayCaller, pawapayOptions } from './calls.ts'
import { checkConnection, testCredentials } from './check.ts'
import { pawapayStatements } from './statements.ts'
import {
  COUNTRY,
  CURRENCY,
  PROVIDED,
  readDepositRequest,
  readDepositStatus,
  readRefundRequest,
  readRefundStatus,
} from './translate.ts'

export const pawapay = defineConnector<PawapayOptions>({
  name: 'pawapay',
  addresses: ADDRESSES,
  prompts: PROVIDED,
  pages: [],
  options: pawapayOptions,
  fields: [
    { name: 'apiToken' },
    { name: 'callbacks', choices: ['unsigned', 'signed'] },
    { name: 'signingKeyId', isOptional: true },
    { name: 'signingKey', isOptional: true },
  ],
  connect(deps, connected) {
    const call = pawapayCaller(deps, connected)
    const configuration = configurationCache(deps.clock, () =>
      call({
        path: `/v2/active-conf?country=${COUNTRY}`,
        timeoutMs: Math.floor(deps.deadlineMs / 3),
      }),
    )
    const callbackUrl = plainCallbackUrl(deps)
    const { callbacks, callbackPublicKey, walletProvider } = connected
    const { download, deadlineMs: timeoutMs } = deps
    const fetchKeys = (): Promise<CallResult> =>
      call({ path: '/v2/public-key/http', timeoutMs: deps.deadlineMs })
    const signedBy =
      callbackPublicKey === undefined
        ? publicKeys(deps.clock, fetchKeys)
        : pinnedKey(callbackPublicKey)
    const keys = callbacks === 'signed' ? signedBy : undefined

    /** How much of the deadline is left; at least a millisecond, since a call needs one. */
    function untilDeadline(): () => number {
      const endsAt = deps.clock.now() + deps.deadlineMs
      return () => Math.max(endsAt - deps.clock.now(), 1)
    }

    async function deposit(collection: Collection): Promise<OperatorAnswer> {
      const left = untilDeadline()
      keys?.fetchAhead()
      const provider = providerOf(connected, collection.operator)
      if (provider === undefined) return notSet(`no provider is set for ${collection.operator}`)
      if ((await configuration.takesDeposits(provider)) === 'no') {
        return notSet(`${provider} is not enabled for deposits on the pawaPay account`)
      }
      const body = depositRequest(collection, provider, connected)
      const result = await call({ path: '/v2/deposits', body, timeoutMs: left() })
      const answer = readDepositRequest(result, uuidOfReference(collection.reference))
      if (answer.is !== 'duplicate' && answer.is !== 'read_state') return answer
      return foundAgain(await status(collection.reference, left()))
    }

    async function status(reference: string, timeoutMs: number): Promise<OperatorAnswer> {
      keys?.fetchAhead()
      const depositId = uuidOfReference(reference)
      return readDepositStatus(
        await call({ path: `/v2/deposits/${depositId}`, timeoutMs }),
        depositId,
      )
    }

    async function refund(reversal: Reversal): Promise<RefundAnswer> {
      const left = untilDeadline()
      const body = refundRequest(reversal)
      const result = await call({ path: '/v2/refunds', body, timeoutMs: left() })
      const answer = readRefundRequest(result, uuidOfReference(reversal.refundReference))
      if (answer.is !== 'duplicate' && answer.is !== 'read_state') return answer
      const state = await refundStatus(reversal, left())
      if (answer.is === 'duplicate') return foundAgain(state)
      return state.is === 'not_known'
        ? { is: 'by_hand', why: 'the deposit was refunded by another way' }
        : state
    }

    async function refundStatus(
      { refundReference }: Reversal,
      timeoutMs: number,
    ): Promise<RefundAnswer> {
      const refundId = uuidOfReference(refundReference)
      return readRefundStatus(await call({ path: `/v2/refunds/${refundId}`, timeoutMs }), refundId)
    }

    const operator: Operator = {
      name: deps.name,
      request: deposit,
      status: (reference) => status(reference, deps.deadlineMs),
      refund,
      refundStatus: (reversal) => refundStatus(reversal, deps.deadlineMs),
      parseCallback: callbackReader(keys, deps.clock.now, () => [
        ...(callbackUrl === undefined ? [] : [callbackUrl]),
        ...configuration.callbackUrls(),
      ]),
    }
    return {
      operator,
      statements:
        download && pawapayStatements({ call, download, timeoutMs, callbackUrl, walletProvider }),
      check: () => checkConnection({ call, clock: deps.clock, callbackUrl, options: connected }),
      test: () => testCredentials(call),
    }
  },
})

const providerOf = ({ providers }: PawapayOptions, operator: string): string | undefined =>
  lookUp(providers, operator)

const notSet = (why: string): OperatorAnswer => ({
  is: 'unknown',
  why,
  neverLeft: true,
  misconfigured: true,
})

/**
 * pawaPay has just said that it has the payment: not finding it now, or no answer, proves nothing.
 */
function foundAgain<Answer extends RefundAnswer>(state: Answer): Answer | OperatorAnswer {
  if (state.is === 'not_known')
    return { is: 'unknown', why: 'said to be a duplicate, and then not found' }
  return state.is === 'unknown'
    ? { is: 'unknown', why: `a duplicate, but ${state.why}`.slice(0, 120) }
    : state
}

function depositRequest(
  collection: Collection,
  provider: string,
  { msisdnDigits }: PawapayOptions,
): object {
  const { reference, msisdn, amountXof, publicReference } = collection
  const customerMessage = customerMessageOf(publicReference)
  return {
    depositId: uuidOfReference(reference),
    amount: String(amountXof),
    currency: CURRENCY,
    payer: {
      type: 'MMO',
      accountDetails: { phoneNumber: withDigits(msisdn, msisdnDigits), provider },
    },
    ...(customerMessage !== undefined && { customerMessage }),
    // For people who look it up in the dashboard.
    ...(/^[\w-]{1,36}$/.test(publicReference) && { clientReferenceId: publicReference }),
  }
}

/** Always with the amount: without it, pawaPay would refund all that is left of the deposit. */
const refundRequest = ({ refundReference, reference, amountXof }: Reversal): object => ({
  refundId: uuidOfReference(refundReference),
  depositId: uuidOfReference(reference),
  amount: String(amountXof),
  currency: CURRENCY,
})

/** 4 to 22 letters and digits are taken; undefined when the text has not as many. */
function customerMessageOf(text: string): string | undefined {
  const cleaned = text.replace(/[^a-zA-Z0-9]/g, '').slice(0, 22)
  return cleaned.length < 4 ? undefined : cleaned
}
