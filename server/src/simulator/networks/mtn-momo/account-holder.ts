// The questions about an account holder: whether it is active, and its name. The test environment knows everybody.
import type { WireReaction } from '../network.ts'
import { urlDecoded } from './access.ts'
import * as answers from './answers.ts'
import { outcomeOf } from './numbers.ts'

const ID_TYPES = ['msisdn', 'email', 'party_code', 'alias', 'id']

/** What follows `accountholder/`: the type of the identifier, the identifier, and the question. */
export function accountHolder(
  [type = '', id = '', question = '']: readonly string[],
  environment: string,
): WireReaction {
  // The documents write the type in small letters, public clients also in capital ones.
  if (!ID_TYPES.includes(type.toLowerCase()) || id === '') return answers.BAD_REQUEST
  const isKnown = environment === 'sandbox' || outcomeOf(urlDecoded(id), environment).reason !== 'PAYER_NOT_FOUND'
  if (question === 'active') return { code: 200, body: { result: isKnown } }
  if (question !== 'basicuserinfo') return answers.NO_SUCH_ADDRESS
  return isKnown ? { code: 200, body: SOMEBODY } : answers.NOT_FOUND
}

const SOMEBODY = {
  given_name: 'Sand',
  family_name: 'Box',
  birthdate: '1976-08-13',
  locale: 'sv_SE',
  gender: 'MALE',
  status: 'ACTIVE',
}
