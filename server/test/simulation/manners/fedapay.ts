// FedaPay in simulated worlds, with its prompts. The tests of its connector cover its hosted page: in every world links
// are paid by card and wallet on the simulated provider's page.
import { z } from 'zod'
import { fedapayNetwork } from '../../../../simulators/src/fedapay/network.ts'
import type { ConformanceNetwork } from '../../../../simulators/src/network.ts'
import { fedapayConnector } from '../../../src/operators/connectors/fedapay/connector.ts'
import { fieldsIn, fieldsOf, type Manner, phonesOf, textOf, times } from './manner.ts'

const SPECIAL = Array.from({ length: 9 }, (_, at) => `+229016600000${at + 1}`)

export const FEDAPAY: Manner = {
  name: 'fedapay',
  connector: fedapayConnector,
  phones: {
    mtn_bj: [...times(6, phonesOf('BJ', ['+2290166000001', '0196123456'])), ...phonesOf('BJ', SPECIAL)],
    moov_bj: phonesOf('BJ', ['+2290164000001', '0195112233']),
    celtiis_bj: phonesOf('BJ', ['+2290140112233']),
    airtel_ne: phonesOf('NE', ['96123456', '+22797112233']),
  },
  open: (deps, webhookUrl, random) => {
    const network = fedapayNetwork(deps, { webhookUrl })
    const { secretKey, webhookSecret } = network.credentials
    const options = { secretKey, ...(random.percent(80) && { webhookSecret }) }
    return { network, options: fedapayConnector.options(z.string()).parse(options) }
  },
  worst: [
    ...['paid_after_expiry', 'not_found', 'not_found_for_a_while', 'create_cut', 'prompt_cut', 'prompt_cut_before'],
    ...['prompt_silent', 'prompt_timeout_body', 'webhooks_never_come'],
  ],
  repeatsAfter: [],
  referenceOf: ({ clientReference }) => clientReference,
  // A transaction alone sends no prompt.
  isTaken: ({ msisdn }) => msisdn !== '',
  moneyCallOf: ({ method, path, body }, network) => {
    const { token } = fieldsOf(body)
    if (method !== 'POST' || path.startsWith('/v1/transactions') || typeof token !== 'string') return undefined
    return { kind: 'request', reference: referenceOfToken(token, network) }
  },
  prepares: ({ method, path }) => method === 'POST' && path === '/v1/transactions',
  askedAbout: ({ method, path }, network) => {
    const [, byReference, byId] = /^\/v1\/transactions\/(?:merchant\/(\w+)|(\d+))\?/.exec(path) ?? []
    if (method !== 'GET') return undefined
    return byReference ?? network.books().find(({ id }) => id === byId)?.clientReference
  },
  aboutNothing: (call) => ({ ...call, path: call.path.replace(/\/\w+(?=\?)/, '/999') }),
  denies: ({ code, body }) => code === 404 && fieldsOf(body).message === 'Transaction introuvable',
  calledBackAbout: ({ body }) => textOf(fieldsIn(fieldsOf(body).entity).merchant_reference),
  waiting: ['pending'],
  failed: ['declined', 'canceled', 'expired'],
  rechecked: ['declined', 'canceled'],
}

/** The token names the transaction: it is the subject of this JSON web token. */
function referenceOfToken(token: string, network: ConformanceNetwork): string {
  const claims = fieldsOf(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  return network.books().find(({ id }) => id === String(claims.sub))?.clientReference ?? ''
}
