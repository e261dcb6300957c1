// People of the service, as commands print them in JSON.
import { optionalTime } from './json.ts'

interface ShownPerson {
  personId: string
  email: string
  name: string
  serviceRole: string | null
  totpSince: number | null
  lastSeenAt: number | null
}

export const operatorFields = (person: ShownPerson): object => ({
  person: person.personId,
  email: person.email,
  name: person.name,
  role: person.serviceRole,
  totp: person.totpSince !== null,
  last_seen_at: optionalTime(person.lastSeenAt),
})

export const firstSignInFields = ({
  personId,
  email,
  password,
}: {
  personId: string
  email: string
  password: string
}): object => ({ person: personId, email, password })
