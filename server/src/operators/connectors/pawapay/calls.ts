// The calls to pawaPay: with the API token, and signed where they move money and the account has a key for it.
import { createPrivateKey } from 'node:crypto'
import type { ConnectionDeps } from '../../connector.ts'
import type { CallResult } from '../../http-call.ts'
import { type RequestSigner, signRequest } from './http-signature.ts'
import type { PawapayOptions } from './options.ts'

export const ADDRESSES = { live: 'https://api.pawapay.io', sandbox: 'https://api.sandbox.pawapay.io' } as const

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
    const headers = { authorization: `Bearer ${apiToken}`, accept: 'application/json', 'user-agent': userAgent }
    if (body === undefined) return deps.send({ method: 'GET', path, headers, timeoutMs })
    const text = JSON.stringify(body)
    const contentType = 'application/json; charset=UTF-8'
    const message = { method: 'POST', url: new URL(path, origin), contentType, body: text } as const
    const signature = signer && MOVES_MONEY.test(path) && signRequest(signer, message, deps.clock.now())
    const all = { ...headers, 'content-type': contentType, ...signature }
    return deps.send({ method: 'POST', path, headers: all, body: text, timeoutMs })
  }
}

function signerOf({ signingKey, signingKeyId, signatureEncoding }: PawapayOptions): RequestSigner | undefined {
  if (signingKey === undefined || signingKeyId === undefined) return undefined
  return { key: createPrivateKey(signingKey), keyId: signingKeyId, encoding: signatureEncoding }
}
