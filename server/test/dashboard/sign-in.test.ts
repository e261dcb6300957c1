// Signing in and out on both stores: what a session is worth, how often somebody may try, codes that work once, letters that work once.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import type { Letter } from '../../src/actions/people/write-letter.ts'
import { ask, type DashboardAnswer } from '../kit/people.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const PASSWORD = 'trois petits chats'
const HOUR_MS = 3_600_000

let people = 0

for (const store of STORES) {
  describe(`signing in on ${store.name}`, () => {
    let service: VirtualService
    const letters: Letter[] = []
    before(async () => {
      const mailSender = { send: async (letter: Letter) => void letters.unshift(letter), close: async () => {} }
      service = await openVirtualService(store, {}, { mailSender })
    })
    after(() => service.remove())

    const cookieOf = ({ headers }: DashboardAnswer) => {
      const cookie = String(headers['set-cookie'])
      return { cookie: cookie.split(';')[0] as string, whole: cookie }
    }

    async function signUp(change: object = {}) {
      const email = `awa-${++people}@example.com`
      const input = { name: 'Awa', email, password: PASSWORD, merchantName: 'Boutique', language: 'fr', ...change }
      // Each from a network of its own: few may sign up from one.
      const answer = await ask(service, 'POST /sign-up', undefined, input, {}, `198.51.100.${people}`)
      return { email, answer, ...cookieOf(answer) }
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
      const { email, answer, whole, cookie } = await signUp()
      assert.equal(answer.code, 200)
      const { person, merchants, service: of, mustDo } = answer.body
      assert.deepEqual([person.email, person.totp, of, mustDo], [email, false, null, null])
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
      const { answer } = await signUp({ email: ` ${email.toUpperCase()} ` })
      assert.deepEqual([answer.code, answer.body.code], [409, 'email_taken'])
      assert.equal((await signIn(email.toUpperCase())).code, 200)
    })

    it('a wrong password and an unknown address get the same answer', async () => {
      const { email } = await signUp()
      const wrong = await signIn(email, { password: 'quatre petits chats' })
      const unknown = await signIn(`nobody-${++people}@example.com`)
      assert.deepEqual([wrong.code, wrong.body], [401, { code: 'sign_in_not_valid' }])
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
      assert.deepEqual((await change(PASSWORD, 'court')).body, { code: 'password_not_good', param: 'short' })
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
}
