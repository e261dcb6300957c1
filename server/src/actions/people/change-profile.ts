// A person's own name and language.
import type { Person } from '../../domain/caller.ts'
import { maskCardNumbers } from '../../domain/card-number.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import { isPersonName, type Language } from '../../domain/person.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import { holdsWebAddress } from '../../domain/web-address.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { findPerson, setPersonDetails } from '../../store/people/people.ts'

export async function changeProfile(
  { db, clock }: { db: Database; clock: Clock },
  caller: Person,
  { name: given, language }: { name: string; language: Language },
): Promise<{ changed: true } | RefusedAs<'person_name_not_valid' | 'name_holds_address' | 'signed_out'>> {
  const name = maskCardNumbers(given)
  if (!isPersonName(name)) return { refused: 'person_name_not_valid' }
  if (holdsWebAddress(name)) return { refused: 'name_holds_address' }
  const { personId } = caller
  return db.transaction(async (tx) => {
    const before = await findPerson(tx, personId)
    if (before === undefined) return { refused: 'signed_out' }
    await setPersonDetails(tx, personId, { name, language })
    const earlier = { name: before.name, language: before.language }
    const record = { at: clock.now(), action: 'person.profile', subject: personId, accountId: null }
    await insertAudit(tx, caller, { ...record, earlier, detail: { name, language } })
    return { changed: true }
  })
}
