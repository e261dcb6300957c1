// Who asked for an approval, as people know them: a person by their name, a key by its own and its first characters.
import type { Queries } from '../../store/engine/database.ts'
import { namesOfKeys } from '../../store/keys/api-keys.ts'
import { namesOfPeople } from '../../store/people/people.ts'

export async function namesOfAskers(db: Queries, askers: readonly string[]): Promise<Map<string, string>> {
  const ids = [...new Set(askers)]
  const isKey = (id: string) => id.startsWith('key_')
  return new Map([
    ...(await namesOfPeople(
      db,
      ids.filter((id) => !isKey(id)),
    )),
    ...(await namesOfKeys(db, ids.filter(isKey))),
  ])
}
