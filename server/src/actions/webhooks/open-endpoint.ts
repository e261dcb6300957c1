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

/** Secrets under 8 characters are not masked: they would match ordinary text. */
const SHORTEST_MASKED = 8

/** A receiver that echoes the request would put its secret into our log, as plain text or within JSON. */
export function withoutSecrets(text: string, { secretHashes }: OpenEndpoint): string {
  const forms = secretHashes
    .filter(({ length }) => length >= SHORTEST_MASKED)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  return forms.reduce((masked, form) => masked.replaceAll(form, '[hidden]'), text)
}

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
