// An endpoint as whoever sends needs it: its address and the secrets that are valid now, opened.
import type { SealedBox } from '../../domain/sealed-box.ts'
import type { EndpointRow } from '../../store/webhooks/endpoints.ts'

export interface OpenEndpoint {
  url: string
  isFailing: boolean
  /** The newest first; an older one while a change-over lasts. */
  secretHashes: string[]
  signingSecrets: string[]
}

/** Where a sealed value is kept: it opens nowhere else. */
export const placeOf = (endpointId: string, what: 'secret_hash' | 'signing_secret'): string => `${endpointId} ${what}`

/** A shorter one is a word that an answer may hold by chance. */
const LEAST_HIDDEN = 8

/** A receiver that says back what it was sent would put its secret into our log, plainly or within JSON. */
export function withoutSecrets(text: string, { secretHashes }: OpenEndpoint): string {
  const forms = secretHashes
    .filter(({ length }) => length >= LEAST_HIDDEN)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  return forms.reduce((left, form) => left.replaceAll(form, '[hidden]'), text)
}

export function openEndpoint(box: SealedBox, row: EndpointRow, now: number): OpenEndpoint {
  const secrets = (what: 'secret_hash' | 'signing_secret'): string[] => {
    const old = (row[`old_${what}_until`] ?? 0) > now ? row[`old_${what}`] : null
    return [row[what], old].flatMap((sealed) =>
      sealed === null ? [] : box.open(sealed, placeOf(row.endpoint_id, what)),
    )
  }
  return {
    url: row.url,
    isFailing: row.failing_since !== null,
    secretHashes: secrets('secret_hash'),
    signingSecrets: secrets('signing_secret'),
  }
}
