// An endpoint as whoever sends needs it: its address and the secrets that are valid now, opened.
import type { SealedBox } from '../../domain/sealed-box.ts'
import type { Endpoint } from '../../domain/webhook-endpoint.ts'

export interface OpenEndpoint {
  url: string
  isFailing: boolean
  /** The newest first; an older one while a change-over lasts. */
  secretHashes: string[]
  signingSecrets: string[]
}

/** Where a sealed value is kept: it opens nowhere else. */
export const placeOf = (endpointId: string, what: 'secret_hash' | 'signing_secret'): string => `${endpointId} ${what}`

/** Secrets under 8 characters are not masked: they would match ordinary text. */
const LEAST_HIDDEN = 8

/** A receiver that says back what it was sent would put its secret into our log, plainly or within JSON. */
export function withoutSecrets(text: string, { secretHashes }: OpenEndpoint): string {
  const forms = secretHashes
    .filter(({ length }) => length >= LEAST_HIDDEN)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  return forms.reduce((left, form) => left.replaceAll(form, '[hidden]'), text)
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
    return sealed.map((each) => box.open(each, placeOf(endpointId, what)))
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
