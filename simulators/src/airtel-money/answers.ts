// The bodies of Airtel's answers, as its documents and the field have them: field for field, in
// their order.
import type { WireReaction } from '../network.ts'

export interface Refusal {
  responseCode?: string
  resultCode?: string
  /** The HTTP code that the body claims; the real one is 200 more often than not. */
  innerCode?: string
  message: string
  http?: number
}

export const refusal = ({
  responseCode,
  resultCode,
  innerCode = '400',
  message,
  http = 200,
}: Refusal): WireReaction => ({
  code: http,
  body: {
    status: {
      ...(responseCode !== undefined && { response_code: responseCode }),
      code: innerCode,
      success: false,
      ...(resultCode !== undefined && { result_code: resultCode }),
      message,
    },
  },
})

export const routerRefusal = (http: number, code: string, message: string): WireReaction => ({
  code: http,
  body: { status_message: message, status_code: code },
})

const SUCCESS = { code: '200', message: 'SUCCESS', result_code: 'ESB000010' }

export const taken = (id: string | false): WireReaction => ({
  code: 200,
  body: {
    data: { transaction: { id, status: 'SUCCESS' } },
    status: { ...SUCCESS, response_code: 'DP00800001006', success: true },
  },
})

export const ID_EXISTS = refusal({
  responseCode: 'DP00800001000',
  innerCode: '500',
  resultCode: 'ESB000041',
  message: 'External Transaction ID already exists.',
})

export const CONNECTION_TIMEOUT = routerRefusal(408, 'CONNECTION_TIMEOUT', 'I/O Exception')

export const NOT_FOUND = refusal({
  responseCode: 'DP00800001025',
  resultCode: 'ESB000045',
  message: 'No transaction found with provided transaction Id.',
})

export const refunded = (airtelMoneyId: string, success: boolean): WireReaction => ({
  code: 200,
  body: {
    data: { transaction: { airtel_money_id: airtelMoneyId, status: 'SUCCESS' } },
    status: { ...SUCCESS, success },
  },
})

export const balanceOf = (amount: number, currency: string, success: boolean): WireReaction => ({
  code: 200,
  body: {
    data: { balance: withCommas(amount), currency, account_status: 'Active' },
    status: { ...SUCCESS, response_code: 'DP02100000001', success },
  },
})

export const withCommas = (amount: number): string =>
  `${String(amount).replace(/\B(?=(\d{3})+$)/g, ',')}.00`

export const publicKeyOf = (keyId: number, key: string, validUpTo: string): WireReaction => ({
  code: 200,
  body: {
    data: { key_id: keyId, key, valid_upto: validUpTo },
    status: {
      code: '200',
      message: 'Success',
      response_code: 'DP02010001001',
      result_code: 'ESB000010',
      success: true,
    },
  },
})

export const TOKEN_REFUSED = {
  headers: {
    'www-authenticate':
      'Bearer realm="service" error="invalid_token" error_description="The access token is invalid or has expired"',
  },
  body: { error_description: 'The access token is invalid or has expired', error: 'invalid_token' },
}

export const CLIENT_REFUSED: WireReaction = {
  code: 400,
  body: { error_description: 'Invalid client authentication', error: 'invalid_client' },
}

export const MISSING_PARAMS = refusal({
  responseCode: 'DP00900001013',
  message: 'Missing header/body params',
})

export const UNAVAILABLE: WireReaction = { code: 503, body: { message: 'Service Unavailable' } }

export const TOO_MANY: WireReaction = { code: 429, body: { message: 'API rate limit exceeded' } }

export const NO_ROUTE: WireReaction = {
  code: 404,
  body: { message: 'no Route matched with those values' },
}
