// The headers of a webhook (D-27, D-48): one place for all who post events, so that whoever tries out a receiver with `karba listen` tries
// it with what will come.
import { signatureHeaders } from './sign.ts'

export interface Posted {
  eventId: string
  body: string
  secretHash: string
  /** The newest first. */
  signingSecrets: readonly string[]
  /** 0 for the event itself. */
  replay: number
}

const USER_AGENT = 'Karba-Webhooks/1'
const REPLAY_HEADER = 'svc-webhook-replay'

export function webhookHeaders(posted: Posted, now: number): Record<string, string> {
  const { eventId: id, body, secretHash, signingSecrets: secrets, replay } = posted
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'secret-hash': secretHash,
    ...signatureHeaders({ id, timestampSeconds: Math.floor(now / 1_000), body, secrets }),
    ...(replay > 0 ? { [REPLAY_HEADER]: String(replay) } : {}),
  }
}
