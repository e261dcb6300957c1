// The answers of MTN MoMo that are no payments: its own refusals, `{code,message}`, and those of
// the gateway before it, `{statusCode,message}` or a page.
import type { WireReaction } from '../network.ts'

type Answer = Extract<WireReaction, { code: number }>

const refusal = (http: number, code: string, message: string): Answer => ({
  code: http,
  body: { message, code },
})

/** What the network itself refuses. A bad request has no body. */
export const BAD_REQUEST: Answer = { code: 400 }
export const NOT_FOUND = refusal(404, 'RESOURCE_NOT_FOUND', 'Requested resource was not found.')
export const ALREADY_EXISTS = refusal(
  409,
  'RESOURCE_ALREADY_EXIST',
  'Duplicated reference id. Creation of resource failed.',
)
export const WRONG_ENVIRONMENT = refusal(
  500,
  'NOT_ALLOWED_TARGET_ENVIRONMENT',
  'Access to target environment is forbidden.',
)
export const WRONG_CALLBACK_HOST = refusal(
  500,
  'INVALID_CALLBACK_URL_HOST',
  'Callback URL does not match the configured value.',
)
export const WRONG_CURRENCY = refusal(500, 'INVALID_CURRENCY', 'Currency not supported.')
export const INTERNAL_ERROR = refusal(
  500,
  'INTERNAL_PROCESSING_ERROR',
  'An internal error occurred while processing.',
)
export const UNAVAILABLE = refusal(
  503,
  'SERVICE_UNAVAILABLE',
  'Service temporarily unavailable, try again later.',
)

const gateway = (http: number, message: string, headers: Record<string, string> = {}): Answer => ({
  code: http,
  headers,
  body: { statusCode: http, message },
})

const KEY_CHALLENGE = {
  'www-authenticate':
    'AzureApiManagementKey realm="https://simulated",name="Ocp-Apim-Subscription-Key",type="header"',
}

export const NO_SUBSCRIPTION_KEY = gateway(
  401,
  'Access denied due to missing subscription key. Make sure to include subscription key when making requests to an API.',
  KEY_CHALLENGE,
)
export const WRONG_SUBSCRIPTION_KEY = gateway(
  401,
  'Access denied due to invalid subscription key. Make sure to provide a valid key for an active subscription.',
  KEY_CHALLENGE,
)
export const NO_SUCH_ADDRESS = gateway(404, 'Resource not found')
export const FORBIDDEN = gateway(403, 'Forbidden')
export const TOO_MANY = gateway(429, 'Rate limit is exceeded. Try again in 1 seconds.', {
  'retry-after': '1',
})
export const WRONG_CREDENTIALS: Answer = { code: 401, body: { error: 'login_failed' } }
export const UNKNOWN_CLIENT: Answer = { code: 401, body: { error: 'invalid_client' } }
export const WRONG_TOKEN: Answer = { code: 401, body: { error: 'invalid_token' } }
export const NO_ENVIRONMENT: Answer = {
  code: 400,
  body: { error: 'Invalid or missing X-Target-Environment header' },
}
export const GATEWAY_PAGE: Answer = {
  code: 403,
  headers: { 'content-type': 'text/html' },
  body: '<html>\r\n<head><title>403 Forbidden</title></head>\r\n<body>\r\n<center><h1>403 Forbidden</h1></center>\r\n<hr><center>Microsoft-Azure-Application-Gateway/v2</center>\r\n</body>\r\n</html>\r\n',
}
