// Why a command failed, as one JSON object: a code from a closed list, a sentence, and the facts.
import type { Refusal, RefusalFacts, Refused } from '../domain/refusal.ts'
import { isoTime } from './json.ts'
import { REDIRECTION_FIELDS } from './link.ts'
import { TIME_PARAMETERS } from './listed-payment.ts'
import { ORDER_FIELDS } from './payment.ts'

/** The refusals that have facts. */
type WithFacts = { [Name in Refusal]: keyof RefusalFacts[Name] extends never ? never : Name }[Refusal]

const FACTS: { readonly [Name in WithFacts]: (facts: RefusalFacts[Name]) => object } = {
  header_missing: ({ header }) => ({ param: header }),
  body_incomplete: ({ missing }) => ({ param: missing && ORDER_FIELDS[missing] }),
  link_body_incomplete: ({ missing }) => ({ param: missing }),
  redirection_url_not_valid: ({ which }) => ({ param: REDIRECTION_FIELDS[which] }),
  time_filter_not_valid: ({ bound }) => ({ param: TIME_PARAMETERS[bound] }),
  after_not_valid: ({ parameter }) => ({ param: parameter }),
  external_reference_taken: ({ existingReference }) => ({ existing_reference: existingReference }),
  order_reference_taken: ({ existingReference }) => ({ existing_reference: existingReference }),
  payment_name_ambiguous: ({ references }) => ({ references }),
  payment_not_recorded_then: ({ createdAt }) => ({ created_at: isoTime(createdAt) }),
  payment_not_refundable: ({ status }) => ({ status }),
  link_closed: ({ state }) => ({ state }),
  payer_must_wait: ({ why, until }) => ({ why, until: isoTime(until) }),
  overlap_not_valid: ({ mostMs }) => ({ most_ms: mostMs }),
  wording_not_valid: ({ longest }) => ({ longest }),
  too_many_origins: ({ most }) => ({ most }),
  site_origin_not_valid: ({ origin, fault }) => ({
    origin,
    fault: fault.is,
    written_as: fault.is === 'written_otherwise' ? fault.origin : undefined,
  }),
  too_many_endpoints: ({ most }) => ({ most }),
  webhook_url_not_valid: ({ fault }) => ({ fault }),
  event_name_not_valid: ({ event }) => ({ event }),
  secret_hash_not_valid: ({ shortest, longest }) => ({ shortest, longest }),
  brand_name_not_valid: ({ longest }) => ({ longest }),
  logo_not_valid: ({ mostBytes }) => ({ most_bytes: mostBytes }),
  business_not_valid: ({ field }) => ({ field }),
  validation_not_ready: ({ missing }) => ({ missing }),
  document_not_valid: ({ mostBytes }) => ({ most_bytes: mostBytes }),
  too_many_documents: ({ most }) => ({ most }),
  key_name_not_valid: ({ longest }) => ({ longest }),
  key_network_not_valid: ({ network }) => ({ network }),
  too_many_keys: ({ most }) => ({ most }),
  key_right_not_held: ({ permission }) => ({ permission }),
  note_not_valid: ({ longest }) => ({ longest }),
  proof_not_valid: ({ longest }) => ({ longest }),
  late_money_not_needed: ({ status }) => ({ status }),
  password_not_good: ({ fault }) => ({ fault }),
  too_many_tries: ({ until }) => ({ until: isoTime(until) }),
  too_many_invitations: ({ most }) => ({ most }),
  task_taken: ({ by }) => ({ by }),
}

export function refusalFactFields(refused: Refused): object {
  const fieldsOf = (FACTS as Partial<Record<Refusal, (facts: Refused) => object>>)[refused.refused]
  return fieldsOf?.(refused) ?? {}
}

export const failureFields = (code: string, message: string, facts: object): object => ({
  error: { code, message, ...facts },
})
