// Signing in and out on both stores: what a session is worth, how often somebody may try, codes that work once, letters that work once.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import type { Email } from '../../src/actions/people/emails.ts'
import { ask, type DashboardAnswer } from '../kit/people.ts'
import { head } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const PASSWORD = 'trois petits chats'
const HOUR_MS = 3_600_000

let people = 0

describe('signing in', () => {
  let service: VirtualService
  const letters: Email[] = []
  before(async () => {
    const mailSender = { send: async (letter: Email) => void letters.unshift(letter), close: async () => {} }
    service = await openVirtualService(SQLITE, {}, { mailSender })
  })
  after(() => service.remove())

  const cookieOf = ({ headers }: DashboardAnswer) => {
    const cookie = String(headers['set-cookie'])
    return { cookie: cookie.split(';')[0] as string, whole: cookie }
  }

  /** Somebody who has not confirmed their address yet. */
  async function newcomer(change: object = {}) {
    const email = `awa-${++people}@example.com`
    const input = { name: 'Awa', email, password: PASSWORD, merchantName: 'Boutique', language: 'fr', ...change }
    // Each from a network of its own: few may sign up from one.
    const answer = await ask(service, 'POST /sign-up', undefined, input, {}, `198.51.100.${people}`)
    return { email, answer, ...cookieOf(answer) }
  }

  const confirm = (token: string, password = PASSWORD) =>
    ask(service, 'POST /confirmation/confirm', undefined, { token, password })

  async function signUp() {
    const person = await newcomer()
    const confirmed = await confirm(await tokenTo(person.email))
    assert.deepEqual([confirmed.code, confirmed.body], [200, { email: person.email }])
    return person
  }

  const signIn = (email: string, change: object = {}, who?: { cookie: string }) =>
    ask(service, 'POST /sign-in', who, { email, password: PASSWORD, ...change })

  const isSignedIn = async (who: { cookie: string }) => (await ask(service, 'GET /session', who)).code === 200

  /** The token in the last letter to somebody. */
  async function tokenTo(email: string): Promise<string> {
    await service.clock.advance(2_000)
    const letter = letters.find(({ to }) => to === email)
    return /#([\w-]{43})/.exec(letter?.text ?? '')?.[1] as string
  }

  /** Turns codes on, and returns a function that makes the code of now. */
  async function withTotp(who: { cookie: string }) {
    const { body: setup } = await ask(service, 'POST /totp/begin', who)
    const totp = new TOTP({ secret: setup.secret })
    const codeNow = () => totp.generate({ timestamp: service.clock.now() })
    const confirmed = await ask(service, 'POST /totp/confirm', who, { code: codeNow() })
    assert.equal(confirmed.code, 200)
    return { codeNow, setup, recoveryCodes: confirmed.body.recoveryCodes as string[] }
  }

  it('somebody who signs up has a merchant with a sandbox account that works and a live one that waits', async () => {
    const { email, answer, whole, cookie } = await newcomer()
    assert.equal(answer.code, 200)
    const { person, merchants, service: of, mustDo } = answer.body
    assert.deepEqual([person.email, person.isConfirmed, person.totp, of, mustDo], [email, false, false, null, null])
    const [{ role, accounts }] = merchants
    assert.deepEqual(
      [role, accounts.map((each: { environment: string; status: string }) => `${each.environment} ${each.status}`)],
      ['owner', ['sandbox validated', 'live unvalidated']],
    )
    assert.match(whole, /^karba=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
    assert.ok(await isSignedIn({ cookie }))
  })

  it('few may sign up from one network', async () => {
    const input = { name: 'Awa', password: PASSWORD, merchantName: 'Boutique', language: 'fr' }
    const tries = Array.from({ length: 12 }, () =>
      ask(service, 'POST /sign-up', undefined, { ...input, email: `many-${++people}@example.com` }, {}, '192.0.2.77'),
    )
    const codes = (await Promise.all(tries)).map(({ code }) => code)
    assert.equal(codes.filter((code) => code === 429).length, 2)
  })

  it('one address is one person, however it is written', async () => {
    const { email } = await signUp()
    assert.equal((await signIn(email.toUpperCase())).code, 200)
  })

  it('sign-up: answers the same whether or not the address has an account, and emails the mailbox in both cases', async () => {
    const { email } = await signUp()
    const shapeOf = ({ code, body, headers }: DashboardAnswer) => {
      const [{ accounts, ...merchant }] = body.merchants
      const known = { ...body, person: { ...body.person, personId: '', email: '' } }
      const names = Object.keys(headers).sort()
      return [code, { ...known, merchants: [{ ...merchant, merchantId: '', accounts: accounts.length }] }, names]
    }
    const taken = await newcomer({ email: ` ${email.toUpperCase()} ` })
    const free = await newcomer()
    assert.deepEqual(shapeOf(taken.answer), shapeOf(free.answer))
    assert.equal(taken.answer.body.person.email, email)
    await service.clock.advance(2_000)
    const lettersTo = (address: string) => letters.filter(({ to }) => to === address).map(({ subject }) => subject)
    assert.deepEqual(lettersTo(free.email), ['Karba : confirmez votre adresse'])
    assert.equal(lettersTo(email)[0], 'Karba : vous avez déjà un compte')
    assert.doesNotMatch(letters.find(({ to }) => to === email)?.text ?? '', /#/)
    // What could tell them apart afterwards does not: neither gets in with the password, both may ask for the email again.
    for (const { cookie, email: address } of [{ ...taken, email }, free]) {
      const again = await ask(service, 'POST /confirmation', { cookie })
      assert.deepEqual([again.code, again.body], [200, { asked: true }])
      const change = { password: 'quatre petits chats' }
      assert.deepEqual((await signIn(address, change)).body.code, 'sign_in_not_valid')
    }
    // The owner's password and sessions are as they were.
    assert.equal((await signIn(email)).code, 200)
  })

  it('an unconfirmed person: works in the sandbox, and cannot invite, ask for validation or change the live account', async () => {
    const { answer, cookie, email } = await newcomer()
    const [sandbox, live] = answer.body.merchants[0].accounts.map(({ accountId }: { accountId: string }) => accountId)
    const key = { name: 'Shop', permissions: null, networks: null }
    const calls = async (): Promise<[string, number, string | undefined][]> => {
      const told: [string, number, string | undefined][] = []
      for (const [call, body] of [
        [`POST /accounts/${sandbox}/keys`, key],
        [`GET /accounts/${live}/team`, {}],
        [`POST /accounts/${live}/keys`, key],
        [`PUT /accounts/${live}/settings/sites`, { sites: [] }],
        [`POST /accounts/${sandbox}/invitations`, { email: 'other@example.com', role: 'viewer' }],
        [`POST /accounts/${sandbox}/validation`, {}],
      ] as const) {
        const { code, body: said } = await ask(service, call, { cookie }, body)
        told.push([call.split('/').at(-1) as string, code, said.code])
      }
      return told
    }
    const closed = [403, 'email_unconfirmed']
    assert.deepEqual(await calls(), [
      ['keys', 200, undefined],
      ['team', 200, undefined],
      ['keys', ...closed],
      ['sites', ...closed],
      ['invitations', ...closed],
      ['validation', ...closed],
    ])
    await confirm(await tokenTo(email))
    assert.ok(!(await calls()).some(([, , code]) => code === 'email_unconfirmed'))
    assert.equal((await ask(service, 'GET /session', { cookie })).body.person.isConfirmed, true)
  })

  it('confirming an address: takes the token of the email and the password, once; opening the link does nothing', async () => {
    const { email, cookie } = await newcomer()
    assert.equal((await signIn(email)).code, 401)
    const token = await tokenTo(email)
    const page = await service.app.inject('/dashboard/confirm')
    assert.notEqual(page.statusCode, 500)
    assert.equal((await confirm('x'.repeat(43))).body.code, 'token_not_valid')
    assert.equal((await confirm(token, 'wrong password')).body.code, 'sign_in_not_valid')
    assert.equal((await ask(service, 'GET /session', { cookie })).body.person.isConfirmed, false)
    const both = await Promise.all([confirm(token), confirm(token)])
    assert.deepEqual(both.map(({ code }) => code).sort(), [200, 422])
    assert.equal((await confirm(token)).body.code, 'token_not_valid')
    assert.equal((await signIn(email)).code, 200)
    const late = await newcomer()
    const old = await tokenTo(late.email)
    await service.clock.sleep(7 * 24 * HOUR_MS)
    assert.equal((await confirm(old)).body.code, 'token_not_valid')
  })

  it('confirming an address: the password of the newcomer cannot be guessed without end', async () => {
    const { email } = await newcomer()
    const token = await tokenTo(email)
    const codes: number[] = []
    for (let at = 0; at < 7; at++) codes.push((await confirm(token, `wrong password ${at}`)).code)
    assert.deepEqual(codes, [401, 401, 401, 401, 401, 429, 429])
  })

  it('an address: a stranger who signed up first with TOTP does not hold it, and loses access when its owner confirms', async () => {
    const stranger = await newcomer()
    const { email } = stranger
    await withTotp(stranger)
    const theirs = await tokenTo(email)
    const owner = await newcomer({ email, password: 'quatre petits chats' })
    const token = await tokenTo(email)
    assert.notEqual(theirs, token)
    assert.equal((await confirm(token)).body.code, 'sign_in_not_valid')
    assert.equal((await confirm(token, 'quatre petits chats')).code, 200)
    assert.deepEqual([await isSignedIn(stranger), await isSignedIn(owner)], [false, true])
    assert.equal((await confirm(theirs)).body.code, 'token_not_valid')
    assert.equal((await signIn(email)).code, 401)
    assert.equal((await signIn(email, { password: 'quatre petits chats' })).code, 200)
  })

  it('an address: its mailbox takes over an unconfirmed person by a forgotten password; codes, sessions, keys and webhooks end', async () => {
    const stranger = await newcomer()
    const { email } = stranger
    await withTotp(stranger)
    const [{ accountId }] = stranger.answer.body.merchants[0].accounts
    const key = { name: 'Shop', permissions: null, networks: null }
    const { secret } = (await ask(service, `POST /accounts/${accountId}/keys`, stranger, key)).body
    const hook = { url: 'http://127.0.0.1:9/hook', events: ['payment.succeeded'] }
    assert.equal((await ask(service, `POST /accounts/${accountId}/endpoints`, stranger, hook)).code, 200)
    const theirs = await tokenTo(email)
    await ask(service, 'POST /password/forgotten', undefined, { email })
    const token = await tokenTo(email)
    // Nothing in the stranger's words reaches the mailbox.
    assert.ok(letters.filter(({ to }) => to === email).every(({ text }) => !/Awa|Boutique/.test(text)))
    const reset = { token, password: 'Maradi-2026-souk' }
    assert.equal((await ask(service, 'POST /password/reset', undefined, reset)).code, 200)
    assert.equal(await isSignedIn(stranger), false)
    assert.equal((await confirm(theirs)).body.code, 'token_not_valid')
    assert.equal((await signIn(email)).code, 401)
    const own = await signIn(email, { password: 'Maradi-2026-souk' })
    assert.deepEqual([own.code, own.body.person.isConfirmed, own.body.person.totp], [200, true, false])
    await service.clock.sleep(2_000)
    const used = await service.app.inject({ url: '/api/v1/payments', headers: head(secret) })
    assert.equal(used.statusCode, 401)
    const endpoints = await service.db.rows('select 1 from webhook_endpoints where account_id = $1', [accountId])
    assert.deepEqual(endpoints, [])
  })

  it('an address: a token from before the confirmation takes nothing over afterwards', async () => {
    const { email, cookie } = await newcomer()
    const token = await tokenTo(email)
    await ask(service, 'POST /password/forgotten', undefined, { email })
    const takeOver = await tokenTo(email)
    assert.equal((await confirm(token)).code, 200)
    await withTotp({ cookie })
    const reset = { token: takeOver, password: 'Maradi-2026-souk' }
    assert.equal((await ask(service, 'POST /password/reset', undefined, reset)).body.code, 'token_not_valid')
    assert.equal((await signIn(email)).body.code, 'totp_needed')
  })

  it('an unconfirmed person: cannot clear the tries of the address’s owner, nor send their mailbox word of a new password', async () => {
    const { email } = await signUp()
    const stranger = await newcomer({ email })
    for (let at = 0; at < 5; at++) await signIn(email, { password: 'wrong password' })
    const change = { current: PASSWORD, password: 'Zinder-2026-mil' }
    assert.equal((await ask(service, 'POST /password', stranger, change)).code, 200)
    assert.equal((await signIn(email)).code, 429)
    await service.clock.advance(2_000)
    assert.ok(!letters.some(({ to, subject }) => to === email && /changé/.test(subject)))
    await service.clock.sleep(31_000)
  })

  it('the email of a sign-up: few are sent to one address, whoever signs up, and a sign-up works all the same', async () => {
    const { email, cookie } = await newcomer()
    for (let at = 0; at < 5; at++) assert.equal((await newcomer({ email })).answer.code, 200)
    const again = await ask(service, 'POST /confirmation', { cookie })
    assert.deepEqual([again.code, again.body.code], [429, 'too_many_tries'])
    await service.clock.advance(2_000)
    assert.equal(letters.filter(({ to }) => to === email).length, 3)
  })

  it('a wrong password and an unknown address get the same answer', async () => {
    const { email } = await signUp()
    const wrong = await signIn(email, { password: 'quatre petits chats' })
    const unknown = await signIn(`nobody-${++people}@example.com`)
    assert.deepEqual([wrong.code, wrong.body.code], [401, 'sign_in_not_valid'])
    assert.deepEqual([unknown.code, unknown.body], [wrong.code, wrong.body])
  })

  it('signing in makes a new session and ends the one that the browser held, planted or not', async () => {
    const { email, cookie } = await signUp()
    const second = cookieOf(await signIn(email, {}, { cookie }))
    assert.notEqual(second.cookie, cookie)
    assert.deepEqual([await isSignedIn({ cookie }), await isSignedIn(second)], [false, true])
    const planted = { cookie: `karba=${'x'.repeat(43)}` }
    const third = cookieOf(await signIn(email, {}, planted))
    assert.deepEqual([await isSignedIn(planted), await isSignedIn(third)], [false, true])
  })

  it('signing out ends the session itself, and what the browser kept is worth nothing', async () => {
    const { cookie } = await signUp()
    const out = await ask(service, 'POST /sign-out', { cookie })
    assert.match(String(out.headers['set-cookie']), /^karba=; Path=\/; Max-Age=0;/)
    assert.equal(await isSignedIn({ cookie }), false)
  })

  it('a person sees their sessions, ends one, and ends them all', async () => {
    const { email, cookie } = await signUp()
    const other = cookieOf(await signIn(email))
    const { body } = await ask(service, 'GET /sessions', { cookie })
    assert.deepEqual(body.rows.map(({ isThis }: { isThis: boolean }) => isThis).sort(), [false, true])
    const { sessionId } = body.rows.find(({ isThis }: { isThis: boolean }) => !isThis)
    const stranger = await signUp()
    const tried = await ask(service, `POST /sessions/${sessionId}/end`, stranger)
    assert.deepEqual([tried.code, await isSignedIn(other)], [404, true])
    assert.equal((await ask(service, `POST /sessions/${sessionId}/end`, { cookie })).code, 200)
    assert.deepEqual([await isSignedIn(other), await isSignedIn({ cookie })], [false, true])
    await ask(service, 'POST /sign-out-everywhere', { cookie })
    assert.equal(await isSignedIn({ cookie }), false)
  })

  it('a session ends after 12 hours without use and after 7 days in all', async () => {
    const { cookie } = await signUp()
    for (let hours = 11; hours < 7 * 24; hours += 11) {
      await service.clock.sleep(11 * HOUR_MS)
      assert.ok(await isSignedIn({ cookie }), `after ${hours} hours`)
    }
    await service.clock.sleep(11 * HOUR_MS)
    assert.equal(await isSignedIn({ cookie }), false)
    const idle = await signUp()
    await service.clock.sleep(12 * HOUR_MS + 1_000)
    assert.equal(await isSignedIn(idle), false)
  })

  it('after a few wrong passwords the right one must wait too, also when all are tried at once', async () => {
    const { email } = await signUp()
    const tries = await Promise.all(Array.from({ length: 12 }, () => signIn(email, { password: 'wrong password' })))
    const codes = tries.map(({ code }) => code)
    assert.equal(codes.filter((code) => code === 401).length, 5)
    assert.equal(codes.filter((code) => code === 429).length, 7)
    const blocked = await signIn(email)
    assert.deepEqual([blocked.code, blocked.body.code], [429, 'too_many_tries'])
    assert.ok(Number(blocked.headers['retry-after']) <= 30)
    await service.clock.sleep(31_000)
    assert.equal((await signIn(email)).code, 200)
  })

  it('a code is needed once it is turned on, and each code works once', async () => {
    const { email, cookie } = await signUp()
    const { codeNow, setup } = await withTotp({ cookie })
    assert.match(setup.uri, /^otpauth:\/\/totp\/Karba/)
    assert.match(setup.qrSvg, /^<svg/)
    assert.equal((await signIn(email)).body.code, 'totp_needed')
    assert.equal((await signIn(email, { code: '000000' })).body.code, 'totp_not_valid')
    // The code that turned it on has been used.
    assert.equal((await signIn(email, { code: codeNow() })).body.code, 'totp_not_valid')
    await service.clock.sleep(30_000)
    const code = codeNow()
    const both = await Promise.all([signIn(email, { code }), signIn(email, { code })])
    assert.deepEqual(both.map((each) => each.code).sort(), [200, 401])
    assert.equal((await signIn(email, { code })).body.code, 'totp_not_valid')
  })

  it('each of ten recovery codes works once', async () => {
    const { email, cookie } = await signUp()
    const { recoveryCodes } = await withTotp({ cookie })
    assert.equal(new Set(recoveryCodes).size, 10)
    const [code = ''] = recoveryCodes
    assert.equal((await signIn(email, { code: code.toUpperCase().replaceAll('-', ' ') })).code, 200)
    assert.equal((await signIn(email, { code })).body.code, 'totp_not_valid')
  })

  it('codes are turned off with the password and a code, not with one of them', async () => {
    const { email, cookie } = await signUp()
    const { codeNow, recoveryCodes } = await withTotp({ cookie })
    const remove = (change: object) =>
      ask(service, 'POST /totp/remove', { cookie }, { password: PASSWORD, code: recoveryCodes[0], ...change })
    assert.equal((await remove({ password: 'wrong password' })).body.code, 'sign_in_not_valid')
    assert.equal((await remove({ code: '000000' })).body.code, 'totp_not_valid')
    await service.clock.sleep(30_000)
    assert.equal((await remove({ code: codeNow() })).code, 200)
    assert.equal((await signIn(email)).code, 200)
  })

  it('a new password ends every other session', async () => {
    const { email, cookie } = await signUp()
    const other = cookieOf(await signIn(email))
    const change = (current: string, password: string) =>
      ask(service, 'POST /password', { cookie }, { current, password })
    assert.equal((await change('wrong password', 'Zinder-2026-mil')).body.code, 'sign_in_not_valid')
    assert.match((await change(PASSWORD, 'court')).body.message, /au moins 10 caractères/)
    assert.equal((await change(PASSWORD, 'Zinder-2026-mil')).code, 200)
    assert.deepEqual([await isSignedIn(other), await isSignedIn({ cookie })], [false, true])
    assert.equal((await signIn(email)).code, 401)
    assert.equal((await signIn(email, { password: 'Zinder-2026-mil' })).code, 200)
  })

  it('a forgotten password is replaced with a letter, once, within the hour, and every session ends', async () => {
    const { email, cookie } = await signUp()
    const asked = await ask(service, 'POST /password/forgotten', undefined, { email })
    const nobody = await ask(service, 'POST /password/forgotten', undefined, { email: 'nobody@example.com' })
    assert.deepEqual([asked.code, asked.body], [nobody.code, nobody.body])
    const token = await tokenTo(email)
    assert.equal(letters.filter(({ to }) => to === 'nobody@example.com').length, 0)
    const reset = (given: string, password = 'Maradi-2026-souk') =>
      ask(service, 'POST /password/reset', undefined, { token: given, password })
    assert.equal((await reset('x'.repeat(43))).body.code, 'token_not_valid')
    assert.equal((await reset(token)).code, 200)
    assert.equal((await reset(token)).body.code, 'token_not_valid')
    assert.equal(await isSignedIn({ cookie }), false)
    assert.equal((await signIn(email, { password: 'Maradi-2026-souk' })).code, 200)
    await ask(service, 'POST /password/forgotten', undefined, { email })
    const late = await tokenTo(email)
    await service.clock.sleep(HOUR_MS)
    assert.equal((await reset(late)).body.code, 'token_not_valid')
  })

  it('a letter of a reset does not get around the code', async () => {
    const { email, cookie } = await signUp()
    await withTotp({ cookie })
    await ask(service, 'POST /password/forgotten', undefined, { email })
    const token = await tokenTo(email)
    await ask(service, 'POST /password/reset', undefined, { token, password: 'Maradi-2026-souk' })
    assert.equal((await signIn(email, { password: 'Maradi-2026-souk' })).body.code, 'totp_needed')
  })

  it('an invitation makes somebody new a member in its role, once; whoever is known signs in with it', async () => {
    const owner = await signUp()
    const [{ accounts }] = owner.answer.body.merchants
    const { accountId } = accounts[0]
    const invite = (email: string) =>
      ask(service, `POST /accounts/${accountId}/invitations`, owner, { email, role: 'cashier' })
    const known = await signUp()
    for (const [email, person] of [
      [`new-${++people}@example.com`, { name: 'Moussa', password: PASSWORD, language: 'en' }],
      [known.email, { password: PASSWORD }],
    ] as const) {
      assert.equal((await invite(email)).code, 200)
      const token = await tokenTo(email)
      const read = await ask(service, 'POST /invitation/read', undefined, { token })
      assert.deepEqual([read.body.merchantName, read.body.email, read.body.role], ['Boutique', email, 'cashier'])
      assert.equal(read.body.isKnown, email === known.email)
      const wrong = await ask(service, 'POST /invitation/accept', undefined, { token, ...person, password: 'court' })
      assert.notEqual(wrong.code, 200)
      const accepted = await ask(service, 'POST /invitation/accept', undefined, { token, ...person })
      assert.equal(accepted.code, 200, JSON.stringify(accepted.body))
      const seen = await ask(service, `GET /accounts/${accountId}/team`, cookieOf(accepted))
      assert.ok(seen.body.members.some((each: { email: string }) => each.email === email))
      const again = await ask(service, 'POST /invitation/accept', undefined, { token, ...person })
      assert.equal(again.body.code, 'token_not_valid')
    }
  })
})
