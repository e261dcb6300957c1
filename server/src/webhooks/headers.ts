// The headers of a webhook (D-27, D-48).
import { signatureHeaders } from './sign.ts'

export interface Posted {
  eventId: string
  body: string
  secretHash: string
  /** The newest first. */
  signingSecrets: readonly string[]
  /** 0 for the first delivery of an event, else the number of its replay. */
  replay: number
}

const USER_AGENT = 'Karba-Webhooks/1'
const REPLAY_HEADER = 'svc-webhook-replay'

export function webhookHeaders(posted: Posted, now: number): Record<string, string> {
  const { eventId: id, body, secretHash, signingSecrets: secrets, replay } = posted
  return {
    'content-type': 'application/json',
    // Frameworks answer an error to a client that takes JSON in a few bytes, and to any other with a page (D-61).
    accept: 'application/json',
    'user-agent': USER_AGENT,
    'secret-hash': secretHash,
    ...signatureHeaders({ id, timestampSeconds: Math.floor(now / 1_000), body, secrets }),
    ...(replay > 0 ? { [REPLAY_HEADER]: String(replay) } : {}),
  }
}
