// The refusals of merchants and their accounts, with their facts.

import type { NoFacts } from '../refused.ts'
import type { OriginFault } from '../texts/web-address.ts'
import type { BusinessField } from './brand.ts'

export interface MerchantRefusals {
  // merchants and keys
  merchant_not_found: NoFacts
  merchant_name_not_valid: NoFacts
  account_not_found: NoFacts
  link_methods_missing: NoFacts
  wording_not_valid: { longest: number }
  too_many_origins: { most: number }
  site_origin_not_valid: { origin: string; fault: OriginFault }
  // what a merchant is
  brand_name_not_valid: { longest: number }
  colour_not_valid: NoFacts
  colour_not_readable: NoFacts
  phone_not_valid: NoFacts
  pi_alias_not_valid: NoFacts
  pi_alias_needs_country: NoFacts
  logo_not_valid: { mostBytes: number }
  business_not_valid: { field: BusinessField }
  validation_not_ready: { missing: readonly (BusinessField | 'documents')[] }
  document_not_valid: { mostBytes: number }
  too_many_documents: { most: number }
  document_not_found: NoFacts
}
