// Sign-in, sign-up, sessions, two-step sign-in, passwords and invitations; and the emails that
// carry their links.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import type { Email } from '../../src/actions/emails/emails.ts'
import { makeLog } from '../../src/observability/log.ts'
import { openMail } from '../../src/service/mail-sender.ts'
import { ask, type DashboardAnswer, signedIn } from '../kit/people.ts'
import { listenLocally } from '../kit/process.ts'
import { head, openTestService, order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { until } from '../kit/waiting.ts'

const PASSWORD = 'trois petits chats'
const HOUR_MS = 3_600_000
const PERSON = { name: 'Awa', password: PASSWORD, merchantName: 'Boutique', language: 'en' }
const tokenIn = (email: Email | undefined): string =>
  /#([\w-]{43})/.exec(email?.text ?? '')?.[1] as string
let people = 0

describe('sign-in', async () => {
  const emails: Email[] = []
  const mailSender = {
    send: async (email: Email) => void emails.unshift(email),
    close: async () => {},
  }
  const service = await openVirtualService(SQLITE, {}, { mailSender })
  after(() => service.remove())

  const cookieOf = ({ headers }: DashboardAnswer) => {
    const cookie = String(headers['set-cookie'])
    return { cookie: cookie.split(';')[0] as string, whole: cookie }
  }

  async function newcomer(change: object = {}) {
    const email = `awa-${++people}@example.com`
    const input = { ...PERSON, email, language: 'fr', ...change }
    // Each from another network: sign-ups of one network are limited.
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

  const isSignedIn = async (who: { cookie: string }) =>
    (await ask(service, 'GET /session', who)).code === 200

  async function tokenTo(email: string): Promise<string> {
    await service.clock.advance(2_000)
    return tokenIn(emails.find(({ to }) => to === email))
  }

  async function withTotp(who: { cookie: string }) {
    const { body: setup } = await ask(service, 'POST /totp/begin', who)
    const totp = new TOTP({ secret: setup.secret })
    const codeNow = () => totp.generate({ timestamp: service.clock.now() })
    const confirmed = await ask(service, 'POST /totp/confirm', who, { code: codeNow() })
    assert.equal(confirmed.code, 200)
    return { codeNow, setup, recoveryCodes: confirmed.body.recoveryCodes as string[] }
  }

  it('sign-up: creates a merchant with a validated sandbox account and an unvalidated live account', async () => {
    const { email, answer, whole, cookie } = await newcomer()
    assert.equal(answer.code, 200)
    const { person, merchants, service: of, mustDo } = answer.body
    assert.deepEqual(
      [person.email, person.isConfirmed, person.totp, of, mustDo],
      [email, false, false, null, null],
    )
    const [{ role, accounts }] = merchants
    const seen = [
      role,
      accounts.map(
        (each: { environment: string; status: string }) => `${each.environment} ${each.status}`,
      ),
    ]
    assert.deepEqual(seen, ['owner', ['sandbox validated', 'live unvalidated']])
    assert.match(whole, /^karba=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
    assert.ok(await isSignedIn({ cookie }))
  })

  it('sign-up: the sandbox has both keys at once, which work; the live account has a public key', async () => {
    const { answer, cookie } = await newcomer()
    const [sandbox, live] = answer.body.merchants[0].accounts
    const [{ secret }] = (
      await ask(service, `GET /accounts/${sandbox.accountId}/secrets`, { cookie })
    ).body.rows
    const kindsOf = async (accountId: string) =>
      (await ask(service, `GET /accounts/${accountId}/keys`, { cookie })).body.rows
        .map(({ kind, shownAs }: { kind: string; shownAs: string }) => [
          kind,
          /^pk_sandbox_\w{20,}$/.test(shownAs),
        ])
        .sort()
    const listed = [await kindsOf(sandbox.accountId), await kindsOf(live.accountId)]
    const ofPage = (isOwn: boolean) => ['public', isOwn]
    assert.deepEqual(listed, [[ofPage(true), ['secret', false]], [ofPage(false)]])
    assert.equal((await post(service, secret, order())).code, 200)
  })

  it('sign-up: one network has a limit', async () => {
    const tries = Array.from({ length: 12 }, () =>
      ask(
        service,
        'POST /sign-up',
        undefined,
        { ...PERSON, email: `many-${++people}@example.com` },
        {},
        '192.0.2.77',
      ),
    )
    const codes = (await Promise.all(tries)).map(({ code }) => code)
    assert.equal(codes.filter((code) => code === 429).length, 2)
  })

  it('sign-in: the case of the email address does not matter', async () => {
    const { email } = await signUp()
    assert.equal((await signIn(email.toUpperCase())).code, 200)
  })

  it('sign-in: from a new place sends one email an hour, and none from a place that is known', async () => {
    const { email } = await signUp()
    const from = async (...networks: string[]) => {
      const input = { email, password: PASSWORD }
      const tries = networks.map((network) =>
        ask(service, 'POST /sign-in', undefined, input, {}, network),
      )
      assert.ok((await Promise.all(tries)).every(({ code }) => code === 200))
      emails.length = 0
      await service.clock.advance(2_000)
      return emails.filter(({ to }) => to === email).map(({ subject }) => subject)
    }
    const subject = 'Karba\u00a0: nouvelle connexion à votre compte'
    assert.deepEqual(await from('198.51.77.1'), [], 'the network of the sign-up')
    assert.deepEqual(await from('203.0.113.1', '203.0.114.1', '192.0.2.1'), [subject])
    assert.match(
      emails[0]?.text ?? '',
      /une adresse IP que vous n’aviez pas encore utilisée \((203\.0|192)/,
    )
    assert.deepEqual(await from('203.0.113.9'), [], 'known by now')
    await service.clock.sleep(HOUR_MS)
    assert.deepEqual(await from('2001:db8:1::1'), [subject])
    assert.deepEqual(await from('2001:db8:2::1'), [], 'the same 32 bits')
  })

  it('sign-up: answers the same whether or not the address has an account, and emails the mailbox in both cases', async () => {
    const { email } = await signUp()
    const shapeOf = ({ code, body, headers }: DashboardAnswer) => {
      const [{ accounts, ...merchant }] = body.merchants
      const known = { ...body, person: { ...body.person, personId: '', email: '' } }
      const names = Object.keys(headers).sort()
      return [
        code,
        { ...known, merchants: [{ ...merchant, merchantId: '', accounts: accounts.length }] },
        names,
      ]
    }
    const taken = await newcomer({ email: ` ${email.toUpperCase()} ` })
    const free = await newcomer()
    assert.deepEqual(
      [shapeOf(taken.answer), taken.answer.body.person.email],
      [shapeOf(free.answer), email],
    )
    await service.clock.advance(2_000)
    const emailsTo = (address: string) =>
      emails.filter(({ to }) => to === address).map(({ subject }) => subject)
    assert.deepEqual(emailsTo(free.email), ['Karba\u00a0: confirmez votre adresse'])
    assert.equal(emailsTo(email)[0], 'Karba\u00a0: vous avez déjà un compte')
    assert.doesNotMatch(emails.find(({ to }) => to === email)?.text ?? '', /#/)
    // Later answers do not differ either: both passwords are refused, both may request the email
    // again.
    for (const { cookie, email: address } of [{ ...taken, email }, free]) {
      const again = await ask(service, 'POST /confirmation', { cookie })
      assert.deepEqual([again.code, again.body], [200, { asked: true }])
      const change = { password: 'quatre petits chats' }
      assert.deepEqual((await signIn(address, change)).body.code, 'sign_in_not_valid')
    }
    // The owner's password and sessions are as they were.
    assert.equal((await signIn(email)).code, 200)
  })

  it('an unconfirmed person: works in the sandbox, and cannot invite, request validation or change the live account', async () => {
    const { answer, cookie, email } = await newcomer()
    const [sandbox, live] = answer.body.merchants[0].accounts.map(
      ({ accountId }: { accountId: string }) => accountId,
    )
    const key = { name: 'Shop', permissions: null, networks: null }
    const calls = async (): Promise<[string, number, string | undefined][]> => {
      const answers: [string, number, string | undefined][] = []
      for (const [call, body] of [
        [`POST /accounts/${sandbox}/keys`, key],
        [`GET /accounts/${live}/team`, {}],
        [`POST /accounts/${live}/keys`, key],
        [`PUT /accounts/${live}/settings/sites`, { sites: [] }],
        [`POST /accounts/${sandbox}/invitations`, { email: 'other@example.com', role: 'viewer' }],
        [`POST /accounts/${sandbox}/validation`, {}],
      ] as const) {
        const { code, body: said } = await ask(service, call, { cookie }, body)
        answers.push([call.split('/').at(-1) as string, code, said.code])
      }
      return answers
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
    assert.equal((await confirm(token, 'wrong password')).body.code, 'password_wrong')
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

  it('confirming an address: guesses of the password are limited', async () => {
    const { email } = await newcomer()
    const token = await tokenTo(email)
    const codes: number[] = []
    for (let at = 0; at < 7; at++) codes.push((await confirm(token, `wrong password ${at}`)).code)
    assert.deepEqual(codes, [401, 401, 401, 401, 401, 429, 429])
  })

  it('an address: a stranger who signed up first with TOTP loses access when its owner confirms', async () => {
    const stranger = await newcomer()
    const { email } = stranger
    await withTotp(stranger)
    const theirs = await tokenTo(email)
    const owner = await newcomer({ email, password: 'quatre petits chats' })
    const token = await tokenTo(email)
    assert.notEqual(theirs, token)
    assert.equal((await confirm(token)).body.code, 'password_wrong')
    assert.equal((await confirm(token, 'quatre petits chats')).code, 200)
    assert.deepEqual([await isSignedIn(stranger), await isSignedIn(owner)], [false, true])
    assert.equal((await confirm(theirs)).body.code, 'token_not_valid')
    assert.equal((await signIn(email)).code, 401)
    assert.equal((await signIn(email, { password: 'quatre petits chats' })).code, 200)
  })

  it('an address: a password reset takes over an unconfirmed person and ends its codes, sessions, keys and webhooks', async () => {
    const stranger = await newcomer()
    const { email } = stranger
    await withTotp(stranger)
    const [{ accountId }] = stranger.answer.body.merchants[0].accounts
    const key = { name: 'Shop', permissions: null, networks: null }
    const { secret } = (await ask(service, `POST /accounts/${accountId}/keys`, stranger, key)).body
    const hook = { url: 'http://127.0.0.1:9/hook', events: ['payment.succeeded'] }
    assert.equal(
      (await ask(service, `POST /accounts/${accountId}/endpoints`, stranger, hook)).code,
      200,
    )
    const theirs = await tokenTo(email)
    await ask(service, 'POST /password/forgotten', undefined, { email })
    const token = await tokenTo(email)
    // Nothing in the stranger's words reaches the mailbox.
    assert.ok(
      emails.filter(({ to }) => to === email).every(({ text }) => !/Awa|Boutique/.test(text)),
    )
    const reset = { token, password: 'Maradi-2026-souk' }
    assert.equal((await ask(service, 'POST /password/reset', undefined, reset)).code, 200)
    assert.equal(await isSignedIn(stranger), false)
    assert.equal((await confirm(theirs)).body.code, 'token_not_valid')
    assert.equal((await signIn(email)).code, 401)
    const own = await signIn(email, { password: 'Maradi-2026-souk' })
    assert.deepEqual(
      [own.code, own.body.person.isConfirmed, own.body.person.totp],
      [200, true, false],
    )
    await service.clock.sleep(2_000)
    const used = await service.app.inject({ url: '/api/v1/payments', headers: head(secret) })
    assert.equal(used.statusCode, 401)
    const endpoints = await service.db.read(
      'select 1 from webhook_endpoints where account_id = :accountId',
      { accountId },
    )
    assert.deepEqual(endpoints, [])
  })

  it('an address: a reset token from before the confirmation is invalid afterwards', async () => {
    const { email, cookie } = await newcomer()
    const token = await tokenTo(email)
    await ask(service, 'POST /password/forgotten', undefined, { email })
    const takeOver = await tokenTo(email)
    assert.equal((await confirm(token)).code, 200)
    await withTotp({ cookie })
    const reset = { token: takeOver, password: 'Maradi-2026-souk' }
    assert.equal(
      (await ask(service, 'POST /password/reset', undefined, reset)).body.code,
      'token_not_valid',
    )
    assert.equal((await signIn(email)).body.code, 'totp_needed')
  })

  it('an unconfirmed person: cannot reset the failed tries of the address’s owner or send emails to the mailbox', async () => {
    const { email } = await signUp()
    const stranger = await newcomer({ email })
    for (let at = 0; at < 5; at++) await signIn(email, { password: 'wrong password' })
    const change = { current: PASSWORD, password: 'Zinder-2026-mil' }
    assert.equal((await ask(service, 'POST /password', stranger, change)).code, 200)
    assert.equal((await signIn(email)).code, 429)
    await service.clock.advance(2_000)
    assert.ok(!emails.some(({ to, subject }) => to === email && /changé/.test(subject)))
    await service.clock.sleep(31_000)
  })

  it('sign-up emails: one address gets three at most, and sign-ups still work', async () => {
    const { email, cookie } = await newcomer()
    for (let at = 0; at < 5; at++) assert.equal((await newcomer({ email })).answer.code, 200)
    const again = await ask(service, 'POST /confirmation', { cookie })
    assert.deepEqual([again.code, again.body.code], [429, 'too_many_tries'])
    await service.clock.advance(2_000)
    assert.equal(emails.filter(({ to }) => to === email).length, 3)
  })

  it('sign-in: a wrong password and an unknown address get the same answer', async () => {
    const { email } = await signUp()
    const wrong = await signIn(email, { password: 'quatre petits chats' })
    const unknown = await signIn(`stranger-${++people}@example.com`)
    assert.deepEqual([wrong.code, wrong.body.code], [401, 'sign_in_not_valid'])
    assert.deepEqual([unknown.code, unknown.body], [wrong.code, wrong.body])
  })

  it('sign-in: starts a new session and ends the browser’s old one, planted or not', async () => {
    const { email, cookie } = await signUp()
    const second = cookieOf(await signIn(email, {}, { cookie }))
    assert.notEqual(second.cookie, cookie)
    assert.deepEqual([await isSignedIn({ cookie }), await isSignedIn(second)], [false, true])
    const planted = { cookie: `karba=${'x'.repeat(43)}` }
    const third = cookieOf(await signIn(email, {}, planted))
    assert.deepEqual([await isSignedIn(planted), await isSignedIn(third)], [false, true])
  })

  it('sign-out: ends the session on the server', async () => {
    const { cookie } = await signUp()
    const out = await ask(service, 'POST /sign-out', { cookie })
    assert.match(String(out.headers['set-cookie']), /^karba=; Path=\/; Max-Age=0;/)
    assert.equal(await isSignedIn({ cookie }), false)
  })

  it('sessions: a person lists them, ends one, and ends all', async () => {
    const { email, cookie } = await signUp()
    const other = cookieOf(await signIn(email))
    const { body } = await ask(service, 'GET /sessions', { cookie })
    assert.deepEqual(body.rows.map(({ isThis }: { isThis: boolean }) => isThis).sort(), [
      false,
      true,
    ])
    const { sessionId } = body.rows.find(({ isThis }: { isThis: boolean }) => !isThis)
    const stranger = await signUp()
    const tried = await ask(service, `POST /sessions/${sessionId}/end`, stranger)
    assert.deepEqual([tried.code, await isSignedIn(other)], [404, true])
    assert.equal((await ask(service, `POST /sessions/${sessionId}/end`, { cookie })).code, 200)
    assert.deepEqual([await isSignedIn(other), await isSignedIn({ cookie })], [false, true])
    await ask(service, 'POST /sign-out-everywhere', { cookie })
    assert.equal(await isSignedIn({ cookie }), false)
  })

  it('sessions: expire after 12 idle hours and after 7 days', async () => {
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

  it('sign-in: after five wrong passwords the right one must wait too, also for parallel tries', async () => {
    const { email } = await signUp()
    const tries = await Promise.all(
      Array.from({ length: 12 }, () => signIn(email, { password: 'wrong password' })),
    )
    const codes = tries.map(({ code }) => code)
    assert.equal(codes.filter((code) => code === 401).length, 5)
    assert.equal(codes.filter((code) => code === 429).length, 7)
    const blocked = await signIn(email)
    assert.deepEqual([blocked.code, blocked.body.code], [429, 'too_many_tries'])
    assert.ok(Number(blocked.headers['retry-after']) <= 30)
    await service.clock.sleep(31_000)
    assert.equal((await signIn(email)).code, 200)
  })

  it('two-step sign-in: needs a code, and each code works once', async () => {
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

  it('two-step sign-in: each of ten recovery codes works once', async () => {
    const { email, cookie } = await signUp()
    const { recoveryCodes } = await withTotp({ cookie })
    assert.equal(new Set(recoveryCodes).size, 10)
    const [code = ''] = recoveryCodes
    assert.equal((await signIn(email, { code: code.toUpperCase().replaceAll('-', ' ') })).code, 200)
    assert.equal((await signIn(email, { code })).body.code, 'totp_not_valid')
  })

  it('two-step sign-in: needs the password and a code to be turned off', async () => {
    const { email, cookie } = await signUp()
    const { codeNow, recoveryCodes } = await withTotp({ cookie })
    const remove = (change: object) =>
      ask(
        service,
        'POST /totp/remove',
        { cookie },
        { password: PASSWORD, code: recoveryCodes[0], ...change },
      )
    assert.equal((await remove({ password: 'wrong password' })).body.code, 'password_wrong')
    assert.equal((await remove({ code: '000000' })).body.code, 'totp_not_valid')
    await service.clock.sleep(30_000)
    assert.equal((await remove({ code: codeNow() })).code, 200)
    assert.equal((await signIn(email)).code, 200)
  })

  it('password: a new one ends every other session', async () => {
    const { email, cookie } = await signUp()
    const other = cookieOf(await signIn(email))
    const change = (current: string, password: string) =>
      ask(service, 'POST /password', { cookie }, { current, password })
    assert.equal((await change('wrong password', 'Zinder-2026-mil')).body.code, 'password_wrong')
    assert.match((await change(PASSWORD, 'court')).body.message, /au moins 10 caractères/)
    assert.equal((await change(PASSWORD, 'Zinder-2026-mil')).code, 200)
    assert.deepEqual([await isSignedIn(other), await isSignedIn({ cookie })], [false, true])
    assert.equal((await signIn(email)).code, 401)
    assert.equal((await signIn(email, { password: 'Zinder-2026-mil' })).code, 200)
  })

  it('password reset: the emailed link works once, within an hour, and ends every session', async () => {
    const { email, cookie } = await signUp()
    const asked = await ask(service, 'POST /password/forgotten', undefined, { email })
    const unknown = await ask(service, 'POST /password/forgotten', undefined, {
      email: 'stranger@example.com',
    })
    assert.deepEqual([asked.code, asked.body], [unknown.code, unknown.body])
    const token = await tokenTo(email)
    assert.equal(emails.filter(({ to }) => to === 'stranger@example.com').length, 0)
    const reset = (given: string, password = 'Maradi-2026-souk') =>
      ask(service, 'POST /password/reset', undefined, { token: given, password })
    const check = (given: string) =>
      ask(service, 'POST /email-link/check', undefined, { token: given })
    assert.deepEqual((await check(token)).body, { works: true })
    assert.equal((await reset('x'.repeat(43))).body.code, 'token_not_valid')
    assert.equal((await reset(token)).code, 200)
    assert.equal((await check(token)).body.code, 'token_not_valid')
    assert.equal((await reset(token)).body.code, 'token_not_valid')
    assert.equal(await isSignedIn({ cookie }), false)
    assert.equal((await signIn(email, { password: 'Maradi-2026-souk' })).code, 200)
    await ask(service, 'POST /password/forgotten', undefined, { email })
    const late = await tokenTo(email)
    await service.clock.sleep(HOUR_MS)
    assert.equal((await reset(late)).body.code, 'token_not_valid')
  })

  it('password reset: does not bypass two-step sign-in', async () => {
    const { email, cookie } = await signUp()
    await withTotp({ cookie })
    await ask(service, 'POST /password/forgotten', undefined, { email })
    const token = await tokenTo(email)
    await ask(service, 'POST /password/reset', undefined, { token, password: 'Maradi-2026-souk' })
    assert.equal((await signIn(email, { password: 'Maradi-2026-souk' })).body.code, 'totp_needed')
  })

  it('invitation: adds a new or known person in its role, once', async () => {
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
      assert.deepEqual(
        [read.body.merchantName, read.body.email, read.body.role],
        ['Boutique', email, 'cashier'],
      )
      assert.equal(read.body.isKnown, email === known.email)
      assert.equal(read.body.inviterName, owner.answer.body.person.name)
      const wrong = await ask(service, 'POST /invitation/accept', undefined, {
        token,
        ...person,
        password: 'court',
      })
      assert.notEqual(wrong.code, 200)
      const accepted = await ask(service, 'POST /invitation/accept', undefined, {
        token,
        ...person,
      })
      assert.equal(accepted.code, 200, JSON.stringify(accepted.body))
      const seen = await ask(service, `GET /accounts/${accountId}/team`, cookieOf(accepted))
      assert.ok(seen.body.members.some((each: { email: string }) => each.email === email))
      const again = await ask(service, 'POST /invitation/accept', undefined, { token, ...person })
      assert.equal(again.body.code, 'token_not_valid')
    }
  })
})

describe('emails', async () => {
  const tried: Email[] = []
  let works = false
  const send = async (email: Email): Promise<void> => {
    tried.push(email)
    if (!works) throw new Error('the mail server is away')
  }
  const service = await openVirtualService(
    SQLITE,
    {},
    { mailSender: { send, close: async () => {} } },
  )
  after(() => service.remove())

  const forget = async (email: string) => {
    works = true
    await ask(service, 'POST /sign-up', undefined, { ...PERSON, email })
    await service.clock.advance(2_000)
    const token = tokenIn(tried.at(-1))
    const confirmed = await ask(service, 'POST /confirmation/confirm', undefined, {
      ...PERSON,
      token,
    })
    assert.equal(confirmed.code, 200)
    tried.length = 0
    works = false
    await ask(service, 'POST /password/forgotten', undefined, { email })
  }
  const reset = async (token: string) =>
    (await ask(service, 'POST /password/reset', undefined, { token, password: 'Zinder-2026-mil' }))
      .code

  it('emails: are retried with backoff and a new token each time; the newest token works', async () => {
    await forget('awa@example.com')
    await service.clock.advance(5 * 60_000)
    const attempts = tried.length
    assert.ok(attempts >= 3 && attempts <= 5, `${attempts}`)
    works = true
    await service.clock.advance(10 * 60_000)
    assert.equal(tried.length, attempts + 1)
    assert.match(tried.at(-1)?.subject ?? '', /choose a new password/)
    assert.equal(await reset(tokenIn(tried.at(-1))), 200)
    await service.clock.advance(5_000)
    assert.match(tried.at(-1)?.subject ?? '', /was changed/)
  })

  it('emails: old names with an address or a line break are left out, long names are cut', async () => {
    works = true
    const { merchantId, accounts } = await service.merchant()
    const owner = await signedIn(service, { at: merchantId, as: 'owner' })
    for (const [at, [name, shown]] of [
      ['Compte bloqué: https://evil.example', 'Karba\u00a0: invitation à rejoindre une équipe'],
      ['Boutique\r\nBcc: victim@example.com', 'Karba\u00a0: invitation à rejoindre une équipe'],
      ['Boutique Awa', 'Karba\u00a0: invitation à rejoindre «\u00a0Boutique Awa\u00a0»'],
      [
        `Boutique ${'a'.repeat(200)}`,
        `Karba\u00a0: invitation à rejoindre «\u00a0Boutique ${'a'.repeat(50)}…\u00a0»`,
      ],
    ].entries()) {
      await service.db.change('update merchants set name = :name where merchant_id = :merchantId', {
        merchantId,
        name: name ?? '',
      })
      const invited = { email: `invited-${at}@example.com`, role: 'viewer' }
      const { code } = await ask(
        service,
        `POST /accounts/${accounts.sandbox.accountId}/invitations`,
        owner,
        invited,
      )
      assert.equal(code, 200)
      await service.clock.advance(2_000)
      const email = tried.find(({ to }) => to === invited.email)
      assert.equal(email?.subject, shown)
      assert.doesNotMatch(email?.text ?? '', /evil|Bcc/)
    }
  })

  it('emails: fail after a day of retries', async () => {
    await forget('moussa@example.com')
    for (let hours = 0; hours < 48; hours++) await service.clock.sleep(HOUR_MS)
    const attempts = tried.filter(({ to }) => to === 'moussa@example.com').length
    assert.equal(attempts, 10)
    const [row] = await service.db.read<{ due: number | null; error: string }>(
      `select due_at as due, last_error as error from mails where email = 'moussa@example.com'
        and kind = 'password_reset'`,
    )
    assert.deepEqual(row, { due: null, error: 'the mail server is away' })
  })
})

it('emails: SMTP delivery keeps accents', async (t) => {
  const said: string[] = []
  const server = createServer((socket) => {
    let inData = false
    socket.write('220 mail.example ESMTP\r\n')
    socket.on('data', (bytes) => {
      for (const line of bytes.toString().split('\r\n').slice(0, -1)) {
        said.push(line)
        if (inData && line !== '.') continue
        const isData = /^DATA$/i.test(line)
        const answerTo = (): string => {
          if (inData) return '250 taken'
          if (isData) return '354 go on'
          return /^QUIT/i.test(line) ? '221 bye' : '250 fine'
        }
        const answer = answerTo()
        inData = isData
        socket.write(`${answer}\r\n`)
      }
    })
  })
  const port = await listenLocally(server)
  t.after(() => server.close())
  const settings = {
    KARBA_SMTP_URL: `smtp://127.0.0.1:${port}?ignoreTLS=true`,
    KARBA_MAIL_FROM: 'Karba <k@k.example>',
  }
  const place = await SQLITE.makePlace(settings)
  t.after(() => place.remove())
  const mail = openMail(place.config, makeLog('silent'))
  const parts = {
    before: ['Été à <b>Zinder</b>'],
    button: 'Ouvrir',
    address: 'https://karba.example/reset',
    after: [],
  }
  await mail.send({
    to: 'awa@example.com',
    language: 'fr',
    subject: 'Réinitialiser',
    ...parts,
    text: 'Été à Zinder',
  })
  await mail.close()
  const whole = said.join('\n')
  assert.match(whole, /MAIL FROM:<k@k\.example>/)
  assert.match(whole, /RCPT TO:<awa@example\.com>/)
  assert.match(whole, /Subject: =\?UTF-8\?Q\?R=C3=A9initialiser\?=/)
  assert.match(whole, /Content-Type: text\/plain/)
  assert.match(whole, /Content-Type: text\/html/)
  assert.match(whole.replaceAll('=\n', ''), /=C3=89t=C3=A9 =C3=A0 &lt;b&gt;Zinder&lt;\/b&gt;/)
})

it('development mail page: answers only at the address with the token of this start, on this machine', async (t) => {
  const service = await openVirtualService(SQLITE)
  t.after(() => service.remove())
  await ask(service, 'POST /sign-up', undefined, { ...PERSON, email: 'awa@example.com' })
  await ask(service, 'POST /password/forgotten', undefined, { email: 'awa@example.com' })
  await service.clock.advance(2_000)
  const url = service.mailPagePath as string
  const { body, statusCode } = await service.app.inject(url)
  assert.equal(statusCode, 200)
  assert.match(body, /href="http[^"]+\/dashboard\/reset#[\w-]{43}"/)
  // As a proxy on this machine sends it for a stranger when it adds no header and rewrites Host.
  for (const guessed of [
    '/dashboard/mail',
    '/dashboard/mail/',
    `${url}x`,
    url.slice(0, -1),
    `/dashboard/mail/${'A'.repeat(43)}`,
  ]) {
    assert.doesNotMatch((await service.app.inject(guessed)).body, /<article>|reset#/, guessed)
  }
  assert.equal((await service.app.inject({ url, remoteAddress: '203.0.113.9' })).statusCode, 404)
})

it('shutdown: closes the port while an email is being sent, and does not wait for it for ever', async () => {
  let hasBegun = false
  const send = (): Promise<void> => {
    hasBegun = true
    return new Promise(() => {})
  }
  const service = await openTestService(
    undefined,
    {},
    { mailSender: { send, close: async () => {} } },
  )
  await service.listen()
  await ask(service, 'POST /sign-up', undefined, { ...PERSON, email: 'awa@example.com' })
  await ask(service, 'POST /password/forgotten', undefined, { email: 'awa@example.com' })
  await until('email being sent', () => hasBegun)
  let isClosed = false
  const closing = service.close().then(() => {
    isClosed = true
  })
  await until('closed port', () => !service.app.server.listening)
  assert.equal(isClosed, false)
  await closing
  await service.place.remove()
})
