// The password, or with TOTP a code, once more before something that a stolen session must not do.
// Each proof counts as a try of the account and of the network, as at a sign-in.
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import type { Queries } from '../../store/engine/database.ts'
import { type Credentials, findCredentials } from '../../store/people/credentials.ts'
import { findPerson, lockPerson } from '../../store/people/people.ts'
import { accountTries, forgive, networkTries, takeTry } from '../limits/limited-tries.ts'
import type { PeopleDeps } from './sessions.ts'
import { spendCode } from './totp.ts'

export interface Proof {
  password?: string | undefined
  code?: string | undefined
}

type Prover = { personId: string; network?: string | undefined }

export type ProofRefused = RefusedAs<
  'signed_out' | 'proof_needed' | 'too_many_tries' | 'password_wrong' | 'totp_not_valid'
>

/** For the transaction that does it: spends the code. */
export type Proven = { finish(tx: Queries): Promise<RefusedAs<'totp_not_valid'> | undefined> }

/** Before slow work: whether the proof that this person needs is there at all. */
export async function refuseWithoutProof(
  { db }: Pick<PeopleDeps, 'db'>,
  { personId }: Prover,
  { password = '', code = '' }: Proof,
): Promise<RefusedAs<'signed_out' | 'proof_needed'> | undefined> {
  const credentials = await findCredentials(db, personId)
  if (credentials === undefined) return { refused: 'signed_out' }
  const by = credentials.totpSince === null ? 'password' : 'code'
  return (by === 'password' ? password : code) === '' ? { refused: 'proof_needed', by } : undefined
}

export async function proveAgain(
  deps: PeopleDeps,
  prover: Prover,
  proof: Proof,
): Promise<Proven | ProofRefused> {
  const missing = await refuseWithoutProof(deps, prover, proof)
  if (missing !== undefined) return missing
  const { personId, network = '' } = prover
  const [person, credentials] = [
    await findPerson(deps.db, personId),
    await findCredentials(deps.db, personId),
  ]
  if (person === undefined || credentials === undefined) return { refused: 'signed_out' }
  const [account, from] = [accountTries(person.email), networkTries(network)]
  const mayTry = await takeTry(deps, [account, from])
  if (isRefused(mayTry)) return mayTry
  const needsCode = credentials.totpSince !== null
  if (
    !needsCode &&
    !(await deps.passwords.verify(proof.password ?? '', credentials.passwordHash, network))
  )
    return { refused: 'password_wrong' }
  return {
    finish: async (tx) => {
      if (needsCode) {
        await lockPerson(tx, personId)
        const fresh = (await findCredentials(tx, personId)) as Credentials
        if ((await spendCode(deps, tx, fresh, proof.code ?? '')) === undefined)
          return { refused: 'totp_not_valid' }
      }
      await forgive(tx, account, from)
      return undefined
    },
  }
}
