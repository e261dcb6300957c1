// Uploads of statement files that were not imported. They stay for a day, and an account may keep
// only so much of them.
import { type AccountCaller, type Caller, isOfService } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { listUnused, sumUnused, type UnusedUpload } from '../../store/books/kept-files.ts'
import { isMerchantValidated } from '../../store/people/members.ts'
import type { Deps } from '../deps.ts'

/** One file of the largest size, and a month's others. Anyone can sign up, so others have less. */
const MOST_BYTES = { validated: 300_000_000, unvalidated: 50_000_000 } as const
const MOST_FILES = 100

/**
 * Before a file is begun or gets a part. Staff have no limit: their files are the installation's.
 */
export async function uploadSpaceRefusal(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  more: { files: number; bytes: number },
): Promise<RefusedAs<'upload_space_taken'> | undefined> {
  if (!('accountId' in caller)) return undefined
  const { accountId } = caller
  const most = MOST_BYTES[(await isMerchantValidated(db, accountId)) ? 'validated' : 'unvalidated']
  const { files, bytes } = await sumUnused(db, accountId)
  if (files + more.files <= MOST_FILES && bytes + more.bytes <= most) return undefined
  return { refused: 'upload_space_taken', files, bytes, mostFiles: MOST_FILES, mostBytes: most }
}

/** Newest first. Those of staff are of the installation's connections and of merchants'. */
export async function listUnusedUploads(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
): Promise<{ rows: UnusedUpload[] }> {
  return {
    rows: await listUnused(db, isOfService(caller) ? null : caller.accountId, MOST_FILES),
  }
}
