// The options of an Airtel Money connection. A question that sources leave open, or that a contract decides, is an option here.
import { z } from 'zod'

export interface AirtelOptions {
  clientId: string
  clientSecret: string
  version: 1 | 2
  padding: 'pkcs1' | 'oaep-sha256'
  country: string
  currency: string
  callingCode: string
  callbackKey?: string | undefined
  callbackHashHeader?: string | undefined
  userAgent: string
}

export const airtelOptions = (secret: z.ZodType<string>): z.ZodType<AirtelOptions> =>
  z.strictObject({
    clientId: secret.describe('Client id, from the portal’s key management page.'),
    clientSecret: secret.describe('Client secret, from the same page.'),
    version: z
      .union([z.literal(1), z.literal(2)])
      .default(1)
      .describe('2 when message signing is on for your application.'),
    padding: z.enum(['pkcs1', 'oaep-sha256']).default('pkcs1').describe('Encryption of the signing key in version 2.'),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .default('NE')
      .describe('X-Country.'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .default('XOF')
      .describe('X-Currency.'),
    callingCode: z
      .string()
      .regex(/^[1-9][0-9]{0,3}$/)
      .default('227')
      .describe('Calling code to remove from numbers.'),
    callbackKey: secret
      .optional()
      .describe('Private key of callback authentication; callbacks without a valid hash are then refused.'),
    callbackHashHeader: z
      .string()
      .regex(/^[A-Za-z0-9-]+$/)
      .optional()
      .describe('Header with the hash of a callback, where it is not in the body’s `hash`.'),
    userAgent: z.string().min(1).default('Karba/1.0').describe('User-Agent; the gateway may refuse some.'),
  })
