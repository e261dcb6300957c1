// The dashboard's door, for promise 19: where a card number could be typed there, and the secrets of somebody who has signed up, with codes.
import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { ask } from '../kit/people.ts'
import type { VirtualService } from '../kit/virtual-service.ts'

const PASSWORD = 'canary of a password'
const SIGN_UP = { name: 'Awa', email: '', password: PASSWORD, merchantName: 'Boutique', language: 'fr' }

let people = 0

interface Typed {
  service: VirtualService
  card: string
}

const newEmail = (): string => `canary-${++people}@example.com`

/** Each from a network of its own: few may sign up from one. */
const post = (
  { service }: Pick<Typed, 'service'>,
  path: `/${string}`,
  body: object,
  headers: Record<string, string> = {},
  who?: { cookie: string },
) => ask(service, `POST ${path}`, who, body, headers, `198.51.${++people >> 8}.${people & 255}`)

const signUp = (at: Pick<Typed, 'service'>, change: object = {}, headers: Record<string, string> = {}) =>
  post(at, '/sign-up', { ...SIGN_UP, email: newEmail(), ...change }, headers)

const cookieIn = ({ headers }: Awaited<ReturnType<typeof post>>): string =>
  String(headers['set-cookie']).split(';')[0] as string

/** Only what was refused is looked through: the answer to a success carries the session. */
const shown = async (answering: ReturnType<typeof post>): Promise<unknown> => {
  const { code, body } = await answering
  return [code, body]
}

const packed = (card: string): string => card.replace(/\D/g, '')

export const PEOPLE_PLACES: readonly [place: string, plant: (typed: Typed) => Promise<unknown>][] = [
  ...['name', 'merchantName', 'language', 'note'].map((field): (typeof PEOPLE_PLACES)[number] => [
    `signing up: ${field}`,
    ({ card, ...at }) => shown(signUp(at, { [field]: card })),
  ]),
  ['signing up: an address', ({ card, ...at }) => shown(signUp(at, { email: `${packed(card)}@example.com` }))],
  ['signing up: a browser', ({ card, ...at }) => shown(signUp(at, {}, { 'user-agent': card }))],
  ['signing up: a password', ({ card, ...at }) => shown(signUp(at, { password: `canary ${card}` }))],
  ...['email', 'password', 'code'].map((field): (typeof PEOPLE_PLACES)[number] => [
    `signing in: ${field}`,
    ({ card, ...at }) => shown(post(at, '/sign-in', { email: newEmail(), password: PASSWORD, [field]: card })),
  ]),
  [
    'a forgotten password: an address',
    ({ card, ...at }) => shown(post(at, '/password/forgotten', { email: `${packed(card)}@example.com` })),
  ],
  [
    'a new password: the token',
    ({ card, ...at }) => shown(post(at, '/password/reset', { token: card, password: card })),
  ],
  [
    'confirming an address: the token and the password',
    ({ card, ...at }) => shown(post(at, '/confirmation/confirm', { token: card, password: card })),
  ],
  ['an invitation: the token', ({ card, ...at }) => shown(post(at, '/invitation/read', { token: card }))],
  [
    'a profile: the name',
    async ({ card, ...at }) => {
      const cookie = cookieIn(await signUp(at))
      return shown(post(at, '/profile', { name: card, language: 'fr' }, {}, { cookie }))
    },
  ],
]

/** Somebody signs up, turns codes on and signs in with one: what proves them must be nowhere. */
export async function secretsOfSomebody(service: VirtualService): Promise<[about: string, text: string][]> {
  const email = newEmail()
  const first = cookieIn(await signUp({ service }, { email }))
  const { body: setup } = await post({ service }, '/totp/begin', {}, {}, { cookie: first })
  const codeNow = () => new TOTP({ secret: setup.secret }).generate({ timestamp: service.clock.now() })
  const { body } = await post({ service }, '/totp/confirm', { code: codeNow() }, {}, { cookie: first })
  await service.clock.advance(60_000)
  const { body: mails } = await service.app.inject(service.mailPagePath as string)
  const [, token = ''] = /confirm#([\w-]{43})/.exec(mails) ?? []
  assert.equal((await post({ service }, '/confirmation/confirm', { token, password: PASSWORD })).code, 200)
  const second = await post({ service }, '/sign-in', { email, password: PASSWORD, code: codeNow() })
  assert.equal(second.code, 200)
  return [
    ['a password', PASSWORD],
    ['a TOTP secret', setup.secret],
    ...[first, cookieIn(second)].map((cookie): [string, string] => ['a session', cookie.split('=')[1] as string]),
    ...(body.recoveryCodes as string[]).map((code): [string, string] => ['a recovery code', code]),
  ]
}
