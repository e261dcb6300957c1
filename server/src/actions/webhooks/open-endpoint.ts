// An endpoint as the sender needs it: its address, and the secrets that are valid now, decrypted.
import type { SealedBox } from '../../domain/sealed-box.ts'
import type { Endpoint } from '../../domain/webhook-endpoint.ts'

export interface OpenEndpoint {
  url: string
  isFailing: boolean
  /** Newest first; the old one too while both are valid. */
  secretHashes: string[]
  signingSecrets: string[]
}

/** The place where a secret is stored: sealed for it, the value cannot be opened elsewhere. */
export const sealedPlaceOf = (endpointId: string, what: 'secret_hash' | 'signing_secret'): string =>
  `${endpointId} ${what}`

/**
 * A receiver that echoes the request would put its secret into our log, as plain text or within JSON. A secret from before D-45's shortest
 * length is hidden too, and ordinary text that it matches with it. One pass: what stands in its place is not searched again.
 */
export function withoutSecrets(text: string, { secretHashes }: OpenEndpoint): string {
  const forms = secretHashes.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  const longestFirst = forms.sort((one, other) => other.length - one.length).map(asPattern)
  return text.replaceAll(new RegExp(`(?:${longestFirst.join('|')})+`, 'g'), '[hidden]')
}

const asPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

export function openEndpoint(box: SealedBox, endpoint: Endpoint, now: number): OpenEndpoint {
  const { endpointId } = endpoint
  const open = (
    what: 'secret_hash' | 'signing_secret',
    newest: string,
    old: string | null,
    oldUntil: number | null,
  ) => {
    const sealed = old !== null && (oldUntil ?? 0) > now ? [newest, old] : [newest]
    return sealed.map((each) => box.open(each, sealedPlaceOf(endpointId, what)))
  }
  return {
    url: endpoint.url,
    isFailing: endpoint.failingSince !== null,
    secretHashes: open('secret_hash', endpoint.secretHash, endpoint.oldSecretHash, endpoint.oldSecretHashUntil),
    signingSecrets: open(
      'signing_secret',
      endpoint.signingSecret,
      endpoint.oldSigningSecret,
      endpoint.oldSigningSecretUntil,
    ),
  }
}
