// What a connection to Airtel Money is told, beside its address. Whatever the documents leave open, or a contract decides, is an option here.
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
    clientId: secret.describe('The client id of your application, from the key management page of the Airtel portal.'),
    clientSecret: secret.describe('The client secret of your application, from the same page.'),
    version: z
      .union([z.literal(1), z.literal(2)])
      .default(1)
      .describe('2 when message signing is on for your application: payments and refunds are then signed.'),
    padding: z
      .enum(['pkcs1', 'oaep-sha256'])
      .default('pkcs1')
      .describe(
        'How the signing key is encrypted in version 2; the documents disagree, and clients in use take pkcs1.',
      ),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .default('NE')
      .describe('The country of your application, as the portal writes it (X-Country).'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .default('XOF')
      .describe('The currency of your wallet (X-Currency).'),
    callingCode: z
      .string()
      .regex(/^[1-9][0-9]{0,3}$/)
      .default('227')
      .describe('The calling code of the country: Airtel wants numbers without it.'),
    callbackKey: secret
      .optional()
      .describe(
        'The private key of callback authentication, from the application settings; callbacks without a right hash are then refused.',
      ),
    callbackHashHeader: z
      .string()
      .regex(/^[A-Za-z0-9-]+$/)
      .optional()
      .describe('The header that carries the hash of a callback; left out, the hash is the field hash of its body.'),
    userAgent: z
      .string()
      .min(1)
      .default('Karba/1.0')
      .describe('The User-Agent of our calls, should the gateway refuse ours.'),
  })
