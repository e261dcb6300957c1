// The options of a pawaPay connection. docs/operators-file.md is generated from the descriptions.
import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { publicKeyOf } from './callbacks.ts'

const PROVIDER_CODE = z.string().regex(/^[A-Z0-9_]{3,40}$/)

export const options = (secret: z.ZodType<string>) =>
  z
    .strictObject({
      apiToken: secret.describe('API token, from the dashboard of the same environment.'),
      providers: z
        .strictObject({
          mtn_bj: PROVIDER_CODE.default('MTN_MOMO_BEN').describe('Code of MTN in Benin.'),
          moov_bj: PROVIDER_CODE.default('MOOV_BEN').describe('Code of Moov in Benin.'),
        })
        .prefault({})
        .describe('pawaPay’s codes of the networks.'),
      msisdnDigits: z
        .union([z.literal(10), z.literal(8)])
        .default(10)
        .describe('Digits after 229: 10, or the 8 of before November 2024.'),
      callbacks: z
        .enum(['signed', 'unsigned'])
        .default('unsigned')
        .describe('`signed` when the dashboard signs callbacks: one without a valid signature is then refused.'),
      callbackPublicKey: z
        .string()
        .refine((pem) => publicKeyOf(pem) !== undefined, 'is not a public key in PEM form')
        .optional()
        .describe('The only key that may sign callbacks, as PEM; by default pawaPay’s published keys.'),
      signingKey: secret
        .refine(isPrivateKey, 'is not a private key in PEM form')
        .optional()
        .describe('Private key that signs deposits and refunds, as PEM, where the account requires it.'),
      signingKeyId: z
        .string()
        .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/)
        .optional()
        .describe('Name of its public key in the dashboard.'),
      signatureEncoding: z
        .enum(['der', 'ieee-p1363'])
        .default('der')
        .describe('Encoding of ECDSA signatures: der (pawaPay’s samples) or ieee-p1363 (RFC 9421).'),
      signedAuthority: z.string().optional().describe('Signed host name, where it is not that of pawaPay’s address.'),
      userAgent: z.string().default('Karba/1.0').describe('User-Agent.'),
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
