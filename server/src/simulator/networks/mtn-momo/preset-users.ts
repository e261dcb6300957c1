// The credentials that clients of the simulated MTN MoMo use without making any: of Benin, and of the network's own test environment.
import type { ApiUser } from './access.ts'
import type { Product } from './operations.ts'

/** UUIDs: some clients refuse keys of another form. */
export const SUBSCRIPTION_KEYS: Readonly<Record<Product, string>> = {
  collection: '6b61726b-6101-4c00-8000-0000000000c1',
  disbursement: '6b61726b-6101-4c00-8000-0000000000d1',
}

const ENVIRONMENT = 'mtnbenin'

/** Of Benin. On the new platform a User ID is base64 text, and the platforms do not know each other's users. */
const PRODUCTION = {
  old: {
    collection: ['6b61726b-6101-4c00-8000-000000000001', 'simulated-collection-api-key'],
    disbursement: ['6b61726b-6101-4c00-8000-000000000002', 'simulated-disbursement-api-key'],
  },
  new: {
    collection: ['c2ltdWxhdGVkLWNvbGxlY3Rpb24tdXNlcg==', 'simulated-collection-token'],
    disbursement: ['c2ltdWxhdGVkLWRpc2J1cnNlbWVudC11c2VyIQ==', 'simulated-disbursement-token'],
  },
} as const

const SANDBOX = {
  collection: ['6b61726b-6101-4c00-8000-000000000003', 'simulated-sandbox-collection-api-key'],
  disbursement: ['6b61726b-6101-4c00-8000-000000000004', 'simulated-sandbox-disbursement-api-key'],
} as const

type Platform = keyof typeof PRODUCTION

export function presetUsers(platform: Platform, callbackHost: string | undefined): ApiUser[] {
  const { collection, disbursement } = PRODUCTION[platform]
  const production = { callbackHost, environment: ENVIRONMENT, product: undefined }
  const sandbox = { callbackHost, environment: 'sandbox' }
  return [
    { id: collection[0], key: collection[1], ...production },
    { id: disbursement[0], key: disbursement[1], ...production },
    { id: SANDBOX.collection[0], key: SANDBOX.collection[1], ...sandbox, product: 'collection' },
    { id: SANDBOX.disbursement[0], key: SANDBOX.disbursement[1], ...sandbox, product: 'disbursement' },
  ]
}

export function credentialsOf(platform: Platform): Record<string, string> {
  const { collection, disbursement } = PRODUCTION[platform]
  return {
    targetEnvironment: ENVIRONMENT,
    subscriptionKey: SUBSCRIPTION_KEYS.collection,
    apiUser: collection[0],
    apiKey: collection[1],
    disbursementSubscriptionKey: SUBSCRIPTION_KEYS.disbursement,
    disbursementApiUser: disbursement[0],
    disbursementApiKey: disbursement[1],
    sandboxApiUser: SANDBOX.collection[0],
    sandboxApiKey: SANDBOX.collection[1],
    sandboxDisbursementApiUser: SANDBOX.disbursement[0],
    sandboxDisbursementApiKey: SANDBOX.disbursement[1],
  }
}
