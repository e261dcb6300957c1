// Airtel Money in simulated worlds.
import { z } from 'zod'
import { airtelMoneyNetwork } from '../../../../simulators/src/airtel-money/network.ts'
import { BEHAVIOURS } from '../../../../simulators/src/airtel-money/numbers-and-faults.ts'
import { airtelMoney } from '../../../src/operators/connectors/airtel-money/connector.ts'
import { fieldsIn, fieldsOf, type Manner, phonesOf, textOf, times } from './manner.ts'

export const AIRTEL_MONEY: Manner = {
  name: 'airtel-money',
  connector: airtelMoney,
  phones: {
    airtel_ne: [...times(20, phonesOf('NE', ['96123456', '+22797112233'])), ...phonesOf('NE', Object.keys(BEHAVIOURS))],
  },
  open: (deps, callbackUrl, random) => {
    const version = random.pick([1, 1, 2] as const)
    const hashesCallbacks = random.percent(70)
    const callbackHashHeader = random.percent(20) ? { callbackHashHeader: 'X-Signature-Hash' } : {}
    const requiresSigning = version === 2
    const network = airtelMoneyNetwork(deps, { callbackUrl, hashesCallbacks, requiresSigning, ...callbackHashHeader })
    const { clientId, clientSecret, callbackKey } = network.credentials
    const hashed = hashesCallbacks ? { callbackKey, ...callbackHashHeader } : {}
    return { network, options: airtelMoney.options(z.string()).parse({ version, clientId, clientSecret, ...hashed }) }
  },
  worst: [
    ...['fails_then_succeeds', 'not_found_for_a_minute', 'forgets_payments', 'enquiry_has_no_data'],
    ...['answer_is_cut', 'asks_itself_twice', 'answers_something_wrong', 'refund_is_cut', 'refund_times_out'],
  ],
  repeatsAfter: [],
  referenceOf: ({ id }) => id,
  isTaken: () => true,
  moneyCallOf: ({ method, path, body }) => {
    const { transaction } = fieldsOf(body)
    if (method !== 'POST' || path.startsWith('/auth/')) return undefined
    const { id, airtel_money_id: airtelMoneyId } = fieldsIn(transaction)
    // A refund has no reference but that of the payment.
    return path.endsWith('/refund')
      ? { kind: 'refund', reference: textOf(airtelMoneyId) }
      : { kind: 'request', reference: textOf(id) }
  },
  askedAbout: ({ method, path }) =>
    method === 'GET' ? /^\/standard\/v1\/payments\/(\w+)$/.exec(path)?.[1] : undefined,
  aboutNothing: (call) => ({ ...call, path: call.path.replace(/\w+$/, '0'.repeat(24)) }),
  denies: ({ body }) => {
    const { status, data } = fieldsOf(body)
    const { result_code: code, success } = fieldsIn(status)
    return code === 'ESB000045' || (data === undefined && success === true)
  },
  calledBackAbout: ({ body }) => textOf(fieldsIn(fieldsOf(body).transaction).id),
  waiting: ['TIP', 'TA', 'TI'],
  failed: ['TF', 'TE'],
  rechecked: [],
}
