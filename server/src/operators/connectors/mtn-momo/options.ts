// What one connection to MTN MoMo needs beside its address, and the two platforms that MTN runs. Whatever sources disagree about, or only
// a contract can settle, is an option here and not a constant elsewhere.
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
  subscriptionKey: secret.describe(`The subscription key of the ${product} product, from the developer portal.`),
  apiUser: secret.describe(`The API user of the ${product} product; on the new platform its User ID.`),
  apiKey: secret.describe(`The API key of the ${product} product; on the new platform its token.`),
})

export const mtnMomoOptions = (secret: z.ZodType<string>) =>
  z.strictObject({
    ...productCredentials(secret, 'Collection'),
    platform: z
      .enum(['old', 'new'])
      .default('new')
      .describe(
        'Which platform of MTN the address leads to: `new` is momoapi.momo.africa, `old` proxy.momoapi.mtn.com.',
      ),
    targetEnvironment: z
      .string()
      .regex(/^[a-z]+$/)
      .default('mtnbenin')
      .describe('The market, sent as X-Target-Environment with every call; `sandbox` for the test environment of MTN.'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .default('XOF')
      .describe(
        'The currency of the market. The test environment of MTN takes EUR only: francs are then sent as so many euros.',
      ),
    msisdnDigits: z
      .union([z.literal(10), z.literal(8)])
      .default(10)
      .describe(
        'How many digits follow 229 in a payer’s number: 10 with the leading 01, or the 8 of before November 2024.',
      ),
    sendsCallbackUrl: z
      .boolean()
      .default(true)
      .describe(
        'Whether requests name our callback address. MTN refuses a request whose host is not the registered one; without callbacks, payments are found by polling.',
      ),
    disbursement: z
      .strictObject(productCredentials(secret, 'Disbursement'))
      .optional()
      .describe(
        'The credentials of the Disbursement product, which refunds need; without them refunds are made by hand.',
      ),
    userAgent: z
      .string()
      .regex(HEADER_TEXT)
      .default('Karba/1.0')
      .describe('The User-Agent of our calls: the gateway of the new platform refuses some.'),
  })

export type MtnMomoOptions = z.output<ReturnType<typeof mtnMomoOptions>>

export interface ProductCredentials {
  subscriptionKey: string
  apiUser: string
  apiKey: string
}
