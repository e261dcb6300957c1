// People to test the dashboard with, signed in, and requests as their browser sends them.
import { randomBytes } from 'node:crypto'
import { hashOfToken, makeToken, TOKEN_BYTES } from '../../src/domain/people/person.ts'
import type { MerchantRole, ServiceRole } from '../../src/domain/people/role.ts'
import { passwordHasher } from '../../src/service/password-hasher.ts'
import { realRandom } from '../../src/service/runtime.ts'
import { insertMember } from '../../src/store/people/members.ts'
import { insertPerson } from '../../src/store/people/people.ts'
import { insertSession } from '../../src/store/people/sessions.ts'
import { CHEAP, type TestService } from './service.ts'

export interface SignedIn {
  personId: string
  email: string
  sessionId: string
  /** The value of the Cookie header. */
  cookie: string
}

type Works = { at: string; as: MerchantRole } | { forServiceAs: ServiceRole } | { forNobody: true }

let people = 0

/** Of everybody here. Its hash is made once in a process. */
export const PASSWORD = 'a long enough phrase'
export const PASSWORD_HASH = passwordHasher(realRandom, CHEAP).hash(PASSWORD)

/** Written directly to the store, and signed in. */
export async function signedIn(
  { db, clock }: Pick<TestService, 'db' | 'clock'>,
  works: Works,
  name = 'Awa Diallo',
): Promise<SignedIn> {
  const now = clock.now()
  const personId = `per_${process.pid}_${++people}`
  const email = `${personId}@example.com`
  const serviceRole = 'forServiceAs' in works ? works.forServiceAs : null
  const person = {
    personId,
    email,
    name,
    language: 'fr',
    passwordHash: await PASSWORD_HASH,
    serviceRole,
  } as const
  await insertPerson(db, { ...person, isFirstPassword: false, createdAt: now })
  if ('at' in works)
    await insertMember(db, { merchantId: works.at, personId, role: works.as, createdAt: now })
  const token = makeToken(randomBytes(TOKEN_BYTES))
  const sessionId = `ses_${personId}`
  const session = {
    sessionId,
    personId,
    startedAt: now,
    endsAt: now + 86_400_000,
    network: '127.0.0.1',
  }
  await insertSession(db, { ...session, tokenHash: hashOfToken(token), browser: 'a test' })
  return { personId, email, sessionId, cookie: `karba=${token}` }
}

export const ORIGIN = { origin: 'http://localhost', host: 'localhost' }

export interface DashboardAnswer {
  code: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
  body: any
  headers: Record<string, string | string[] | number | undefined>
}

/** A request as the dashboard's page sends it; without `who`, without a session. */
export async function ask(
  { app }: Pick<TestService, 'app'>,
  /** Method and path: `GET /session`. */
  call: string,
  who?: { cookie: string },
  body?: object,
  headers: Record<string, string> = {},
  remoteAddress = '127.0.0.1',
): Promise<DashboardAnswer> {
  const [method, path] = call.split(' ') as ['GET', string]
  const answer = await app.inject({
    method,
    remoteAddress,
    url: `/dashboard/api${path}`,
    headers: {
      ...ORIGIN,
      ...(who && { cookie: who.cookie }),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method !== 'GET' && { payload: JSON.stringify(body ?? {}) }),
  })
  const isJson = String(answer.headers['content-type']).startsWith('application/json')
  return {
    code: answer.statusCode,
    body: isJson ? answer.json() : answer.body,
    headers: answer.headers,
  }
}

/** All that a request for validation needs: the business and a document, whose bytes it returns. */
export async function fillFile(
  service: Pick<TestService, 'app'>,
  owner: SignedIn,
  accountId: string,
): Promise<Buffer> {
  const place = { country: 'NE', city: 'Niamey', address: 'Plateau' }
  const business = { legalName: 'Awa SARL', registration: 'NE-1', ...place, contact: 'Awa' }
  await ask(service, `PUT /accounts/${accountId}/settings/business`, owner, business)
  const pdf = Buffer.from('%PDF-1.7 the register')
  const headers = { ...ORIGIN, cookie: owner.cookie, 'content-type': 'application/octet-stream' }
  const url = `/dashboard/api/accounts/${accountId}/documents?name=Registre.pdf`
  await service.app.inject({ method: 'POST', url, headers, payload: pdf })
  return pdf
}
