// pawaPay in simulated worlds.
import { z } from 'zod'
import { pawapayNetwork } from '../../../../simulators/src/pawapay/network.ts'
import { referenceOfUuid } from '../../../src/domain/reference.ts'
import { pawapay } from '../../../src/operators/connectors/pawapay/connector.ts'
import { fieldsOf, type Manner, phonesOf, textOf, times, UNUSED_UUID } from './manner.ts'

const ENDINGS = '019 029 039 049 069 129 789 089 099 119 139 149 159 169 179'.split(' ')
const SPECIAL = ENDINGS.map((ending) => `+2290151345${ending}`)

export const PAWAPAY: Manner = {
  name: 'pawapay',
  connector: pawapay,
  phones: {
    mtn_bj: [...times(10, phonesOf('BJ', ['+2290151345789', '0196123456'])), ...phonesOf('BJ', SPECIAL)],
    moov_bj: [
      ...times(3, phonesOf('BJ', ['+2290195345789', '0195112233'])),
      ...phonesOf('BJ', ['+2290195345679', '+2290195345639']),
    ],
  },
  open: (deps, callbackUrl, random) => {
    const signsCallbacks = random.percent(60)
    const encoding = random.pick(['der', 'ieee-p1363'] as const)
    const callbackUrls = { DEPOSIT: callbackUrl, REFUND: callbackUrl }
    const network = pawapayNetwork(deps, { callbackUrls, signsCallbacks, encoding })
    const options = pawapay.options(z.string()).parse({
      apiToken: network.credentials.apiToken,
      callbacks: signsCallbacks ? 'signed' : 'unsigned',
      msisdnDigits: random.pick([10, 8]),
    })
    return { network, options }
  },
  worst: [
    ...['failed_then_completed', 'not_found_at_first', 'accepted_and_forgotten', 'cut_after_registering'],
    ...['never_answers', 'unknown_error_after_registering', 'refunded_elsewhere', 'long_reconciliation'],
  ],
  repeatsAfter: [429, 503],
  rejects: ({ body }) => fieldsOf(body).status === 'REJECTED',
  referenceOf: ({ id }) => referenceOfUuid(id) ?? id,
  isTaken: () => true,
  moneyCallOf: ({ method, path, body }) => {
    const { depositId, refundId } = fieldsOf(body)
    if (method !== 'POST') return undefined
    const [kind, id] = path.endsWith('/refunds') ? (['refund', refundId] as const) : (['request', depositId] as const)
    return { kind, reference: referenceOfUuid(textOf(id)) ?? '' }
  },
  askedAbout: ({ method, path }) => (method === 'GET' ? referenceOfUuid(path.split('/').at(-1) ?? '') : undefined),
  aboutNothing: (call) => ({ ...call, path: call.path.replace(/[^/]+$/, UNUSED_UUID) }),
  denies: ({ body }) => fieldsOf(body).status === 'NOT_FOUND',
  calledBackAbout: ({ body }) => referenceOfUuid(textOf(fieldsOf(body).depositId)),
  waiting: ['ACCEPTED', 'PROCESSING', 'SUBMITTED', 'IN_RECONCILIATION'],
  failed: ['FAILED'],
  rechecked: [],
}
