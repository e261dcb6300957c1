// What one connection to pawaPay is set up with, beside its address. The sentences are the documentation of the settings.
import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { publicKeyOf } from './callbacks.ts'

const PROVIDER_CODE = z.string().regex(/^[A-Z0-9_]{3,40}$/)

export const options = (secret: z.ZodType<string>) =>
  z
    .strictObject({
      apiToken: secret.describe('The API token, made in the pawaPay dashboard of the same environment.'),
      providers: z
        .strictObject({
          mtn_bj: PROVIDER_CODE.default('MTN_MOMO_BEN').describe('What pawaPay calls MTN in Benin.'),
          moov_bj: PROVIDER_CODE.default('MOOV_BEN').describe('What pawaPay calls Moov in Benin.'),
        })
        .prefault({})
        .describe('What pawaPay calls the networks.'),
      msisdnDigits: z
        .union([z.literal(10), z.literal(8)])
        .default(10)
        .describe('How many digits numbers of Benin are sent with, after 229: 10, or 8 as before 2024.'),
      callbacks: z
        .enum(['signed', 'unsigned'])
        .default('unsigned')
        .describe(
          'Whether signed callbacks are switched on in the dashboard: then one without a right signature is refused.',
        ),
      callbackPublicKey: z
        .string()
        .refine((pem) => publicKeyOf(pem) !== undefined, 'is not a public key in PEM form')
        .optional()
        .describe(
          'The only key that callbacks may be signed with, in PEM form; else pawaPay’s own list of keys is asked for.',
        ),
      signingKey: secret
        .refine(isPrivateKey, 'is not a private key in PEM form')
        .optional()
        .describe(
          'The private key that deposits and refunds are signed with, in PEM form, where the account asks for it.',
        ),
      signingKeyId: z
        .string()
        .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/)
        .optional()
        .describe('The name under which the dashboard has the public key of signingKey.'),
      signatureEncoding: z
        .enum(['der', 'ieee-p1363'])
        .default('der')
        .describe('How an ECDSA signature is written: der as in pawaPay’s samples, ieee-p1363 as in RFC 9421.'),
      signedAuthority: z
        .string()
        .optional()
        .describe('The host name that is signed, where it is not the one of pawaPay’s own address.'),
      userAgent: z.string().default('Karba/1.0').describe('The User-Agent header of our calls.'),
    })
    .refine(
      ({ signingKey, signingKeyId }) => (signingKey === undefined) === (signingKeyId === undefined),
      'signingKey and signingKeyId need one another',
    )

export type PawapayOptions = z.output<ReturnType<typeof options>>

function isPrivateKey(pem: string): boolean {
  try {
    createPrivateKey(pem)
    return true
  } catch {
    return false
  }
}
