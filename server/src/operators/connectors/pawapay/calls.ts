// The options of a pawaPay connection, and the calls: with the API token, and signed where they
// move money and the account has a key for it. docs/operators-file.md is generated from the
// options' descriptions.
import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { type ConnectionDeps, msisdnDigits } from '../../connector.ts'
import type { CallResult } from '../../http-call.ts'
import { publicKeyOf } from './callbacks.ts'
import { type RequestSigner, signRequest } from './http-signature.ts'

const PROVIDER_CODE = z.string().regex(/^[A-Z0-9_]{3,40}$/)

export const pawapayOptions = (secret: z.ZodType<string>) =>
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
      walletProvider: PROVIDER_CODE.optional().describe(
        'Whose wallet the statements are of, where the account has a wallet for each provider.',
      ),
      msisdnDigits,
      callbacks: z
        .enum(['signed', 'unsigned'])
        .default('unsigned')
        .describe(
          '`signed` when the dashboard signs callbacks: one without a valid signature is then refused.',
        ),
      callbackPublicKey: z
        .string()
        .refine((pem) => publicKeyOf(pem) !== undefined, 'is not a public key in PEM form')
        .optional()
        .describe(
          'The only key that may sign callbacks, as PEM; by default pawaPay’s published keys.',
        ),
      signingKey: secret
        .refine(isPrivateKey, 'is not a private key in PEM form')
        .optional()
        .describe(
          'Private key that signs deposits and refunds, as PEM, where the account requires it.',
        ),
      signingKeyId: z
        .string()
        .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/)
        .optional()
        .describe('Name of its public key in the dashboard.'),
      signatureEncoding: z
        .enum(['der', 'ieee-p1363'])
        .default('der')
        .describe(
          'Encoding of ECDSA signatures: der (pawaPay’s samples) or ieee-p1363 (RFC 9421).',
        ),
      signedAuthority: z
        .string()
        .optional()
        .describe('Signed host name, where it is not that of pawaPay’s address.'),
      userAgent: z.string().default('Karba/1.0').describe('User-Agent.'),
    })
    .refine(
      ({ signingKey, signingKeyId }) => (signingKey === undefined) === (signingKeyId === undefined),
      'signingKey and signingKeyId need one another',
    )

export type PawapayOptions = z.output<ReturnType<typeof pawapayOptions>>

function isPrivateKey(pem: string): boolean {
  try {
    createPrivateKey(pem)
    return true
  } catch {
    return false
  }
}

export const ADDRESSES = {
  live: 'https://api.pawapay.io',
  sandbox: 'https://api.sandbox.pawapay.io',
} as const

const MOVES_MONEY = /^\/v2\/(deposits|refunds)$/

export type PawapayCaller = (each: PawapayCall) => Promise<CallResult>

interface PawapayCall {
  path: string
  /** With one it is a POST. */
  body?: object
  timeoutMs: number
}

export function pawapayCaller(deps: ConnectionDeps, connected: PawapayOptions): PawapayCaller {
  const { apiToken, userAgent } = connected
  const signer = signerOf(connected)
  const origin = `https://${connected.signedAuthority ?? new URL(ADDRESSES[deps.environment]).host}`
  return ({ path, body, timeoutMs }) => {
    const headers = {
      authorization: `Bearer ${apiToken}`,
      accept: 'application/json',
      'user-agent': userAgent,
    }
    if (body === undefined) return deps.send({ method: 'GET', path, headers, timeoutMs })
    const text = JSON.stringify(body)
    const contentType = 'application/json; charset=UTF-8'
    const message = { method: 'POST', url: new URL(path, origin), contentType, body: text } as const
    const signature =
      signer && MOVES_MONEY.test(path) && signRequest(signer, message, deps.clock.now())
    const all = { ...headers, 'content-type': contentType, ...signature }
    return deps.send({ method: 'POST', path, headers: all, body: text, timeoutMs })
  }
}

function signerOf({
  signingKey,
  signingKeyId,
  signatureEncoding,
}: PawapayOptions): RequestSigner | undefined {
  if (signingKey === undefined || signingKeyId === undefined) return undefined
  return { key: createPrivateKey(signingKey), keyId: signingKeyId, encoding: signatureEncoding }
}
