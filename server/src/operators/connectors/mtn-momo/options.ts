// The options of an MTN MoMo connection, and MTN's two platforms. A question that sources leave open, or that a contract decides, is an
// option here.
import { z } from 'zod'

/** What differs between the platforms, as far as a client sees it. A payment's status can be read only on the platform that took it. */
export const PLATFORMS = {
  old: {
    address: 'https://proxy.momoapi.mtn.com',
    credentials: 'the API user and API key of the partner portal',
    /** It has answered 500 to a wrong API key. */
    answersToWrongCredentials: [401, 500],
  },
  new: {
    address: 'https://momoapi.momo.africa',
    credentials: 'the User ID and token under System credentials of the partner portal',
    answersToWrongCredentials: [401],
  },
} as const

export const SANDBOX_ADDRESS = 'https://sandbox.momodeveloper.mtn.com'

const HEADER_TEXT = /^[\x21-\x7e]+( [\x21-\x7e]+)*$/

/** The form of an API user is not checked: on the new platform it is no UUID. */
const productCredentials = (secret: z.ZodType<string>, product: string) => ({
  subscriptionKey: secret.describe(`Subscription key of ${product}, from the developer portal.`),
  apiUser: secret.describe(`API user of ${product}; new platform: User ID.`),
  apiKey: secret.describe(`API key of ${product}; new platform: token.`),
})

export const mtnMomoOptions = (secret: z.ZodType<string>) =>
  z.strictObject({
    ...productCredentials(secret, 'Collection'),
    platform: z
      .enum(['old', 'new'])
      .default('new')
      .describe('MTN’s platform: `new` is momoapi.momo.africa, `old` proxy.momoapi.mtn.com.'),
    targetEnvironment: z
      .string()
      .regex(/^[a-z]+$/)
      .default('mtnbenin')
      .describe('X-Target-Environment; `sandbox` for MTN’s test environment.'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .default('XOF')
      .describe('MTN’s test environment takes only EUR: 1 franc is then sent as 1 euro.'),
    msisdnDigits: z
      .union([z.literal(10), z.literal(8)])
      .default(10)
      .describe('Digits after 229: 10 with the leading 01, or the 8 of before November 2024.'),
    sendsCallbackUrl: z
      .boolean()
      .default(true)
      .describe(
        'Whether requests carry our callback address. MTN refuses a host that is not registered; without callbacks, polling settles.',
      ),
    disbursement: z
      .strictObject(productCredentials(secret, 'Disbursement'))
      .optional()
      .describe('Credentials of Disbursement; without them refunds are made by hand.'),
    userAgent: z
      .string()
      .regex(HEADER_TEXT)
      .default('Karba/1.0')
      .describe('User-Agent; the new platform’s gateway refuses some.'),
  })

export type MtnMomoOptions = z.output<ReturnType<typeof mtnMomoOptions>>

export interface ProductCredentials {
  subscriptionKey: string
  apiUser: string
  apiKey: string
}
