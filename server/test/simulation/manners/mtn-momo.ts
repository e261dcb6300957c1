// MTN MoMo in simulated worlds.
import { z } from 'zod'
import { mtnMomoNetwork } from '../../../../simulators/src/mtn-momo/network.ts'
import { referenceOfUuid } from '../../../src/domain/reference.ts'
import { mtnMomo } from '../../../src/operators/connectors/mtn-momo/connector.ts'
import { fieldsOf, type Manner, phonesOf, times, UNUSED_UUID } from './manner.ts'

const SPECIAL = Array.from({ length: 24 }, (_, at) => `+22901970000${String(at + 1).padStart(2, '0')}`)

export const MTN_MOMO: Manner = {
  name: 'mtn-momo',
  connector: mtnMomo,
  phones: {
    mtn_bj: [...times(20, phonesOf('BJ', ['+2290197112233', '0196123456'])), ...phonesOf('BJ', SPECIAL)],
  },
  open: (deps, _callbackUrl, random) => {
    const platform = random.pick(['old', 'new'] as const)
    const [callbackVersion, reasonForm] = [random.pick(['A', 'B'] as const), random.pick(['text', 'object'] as const)]
    const refusesTokenBody = random.percent(50)
    const network = mtnMomoNetwork(deps, { platform, callbackVersion, reasonForm, refusesTokenBody })
    const { credentials } = network
    const disbursement = {
      subscriptionKey: credentials.disbursementSubscriptionKey,
      apiUser: credentials.disbursementApiUser,
      apiKey: credentials.disbursementApiKey,
    }
    const options = mtnMomo.options(z.string()).parse({
      platform,
      subscriptionKey: credentials.subscriptionKey,
      apiUser: credentials.apiUser,
      apiKey: credentials.apiKey,
      msisdnDigits: random.pick([10, 8]),
      // Without the second product staff make its refunds.
      ...(random.percent(80) && { disbursement }),
    })
    return { network, options }
  },
  worst: [
    ...['paid_after_failure', 'hidden_for_a_minute', 'hidden_for_twenty_minutes', 'lost_after_202'],
    ...['cut_after_taking', 'silent_after_taking', 'refuses_token_after_taking', 'error_500_after_taking'],
    ...['refund_cut_after_taking'],
  ],
  repeatsAfter: [401, 503],
  referenceOf: ({ clientReference }) => clientReference,
  isTaken: () => true,
  moneyCallOf: ({ method, path, headers }) => {
    const reference = referenceOfUuid(headers['x-reference-id'] ?? '')
    if (method !== 'POST' || reference === undefined) return undefined
    return { kind: path.endsWith('/refund') ? 'refund' : 'request', reference }
  },
  askedAbout: ({ method, path }) => (method === 'GET' ? referenceOfUuid(path.split('/').at(-1) ?? '') : undefined),
  aboutNothing: (call) => ({ ...call, path: call.path.replace(/[^/]+$/, UNUSED_UUID) }),
  denies: ({ code, body }) => code === 404 && fieldsOf(body).code === 'RESOURCE_NOT_FOUND',
  calledBackAbout: ({ url }) => url.split('/').at(-1),
  waiting: ['CREATED', 'PENDING'],
  failed: ['FAILED'],
  rechecked: [],
}
