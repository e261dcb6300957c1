// The names of people in records that keep who did something (domain/caller.ts, `actorOf`).
import { namesOfPeople } from '../../store/people/people.ts'
import type { Deps } from '../deps.ts'

const PERSON = /\bper_\w+$/
const idIn = (actor: string): string => PERSON.exec(actor)?.[0] ?? ''

/** A person's name, `shell` for a user of the CLI, and nothing for the service itself. */
export async function nameActors(
  { db }: Pick<Deps, 'db'>,
  actors: readonly (string | null)[],
): Promise<(actor: string | null) => string> {
  const ids = new Set(actors.map((actor) => idIn(actor ?? '')).filter(Boolean))
  const names = await namesOfPeople(db, [...ids])
  return (actor) => names.get(idIn(actor ?? '')) ?? (actor?.startsWith('shell') === true ? 'shell' : '')
}
