// Attacks on the dashboard (promises 20 and 21): a stolen dump, forged sessions, many guesses,
// frames, and people who must first change a password or set up TOTP.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import type { Email } from '../../src/actions/emails/emails.ts'
import { createStaff } from '../../src/actions/people/service-people.ts'
import { pageHeaders } from '../../src/dashboard-api/static.ts'
import { makeLog } from '../../src/observability/log.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, type DashboardAnswer, signedIn } from '../kit/people.ts'
import { dumped } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'

const PASSWORD = 'trois petits chats'
const cookieOf = ({ headers }: DashboardAnswer): string =>
  String(headers['set-cookie']).split(';')[0] as string
const tokenIn = (email: Email | undefined): string =>
  /#([\w-]{43})/.exec(email?.text ?? '')?.[1] as string

describe('attacks on the dashboard', async () => {
  const emails: Email[] = []
  const lines: string[] = []
  const mailSender = {
    send: async (email: Email) => void emails.unshift(email),
    close: async () => {},
  }
  const log = makeLog('debug', { write: (line) => void lines.push(line) })
  const service = await openVirtualService(SQLITE, {}, { mailSender, log })
  after(() => service.remove())

  it('a stolen dump: keeps nothing usable in the database or the log: password, session, secrets, codes, tokens', async () => {
    const email = 'awa@example.com'
    const person = {
      name: 'Awa',
      email,
      password: PASSWORD,
      merchantName: 'Boutique',
      language: 'fr',
    }
    const signedUp = await ask(service, 'POST /sign-up', undefined, person)
    const who = { cookie: cookieOf(signedUp) }
    await service.clock.advance(2_000)
    const confirmation = tokenIn(emails.find(({ to }) => to === email))
    const confirmed = await ask(service, 'POST /confirmation/confirm', undefined, {
      token: confirmation,
      password: PASSWORD,
    })
    assert.equal(confirmed.code, 200)
    const { body: setup } = await ask(service, 'POST /totp/begin', who)
    const code = new TOTP({ secret: setup.secret }).generate({ timestamp: service.clock.now() })
    const { body: codes } = await ask(service, 'POST /totp/confirm', who, { code })
    const [{ accounts }] = signedUp.body.merchants
    const invited = { email: 'moussa@example.com', role: 'viewer' }
    await ask(service, `POST /accounts/${accounts[0].accountId}/invitations`, who, invited)
    await ask(service, 'POST /password/forgotten', undefined, { email })
    await ask(service, 'POST /sign-in', undefined, { email, password: 'a wrong password' })
    await service.clock.advance(2_000)
    const secrets: Record<string, string> = {
      password: PASSWORD,
      'a wrong password': 'a wrong password',
      'session token': who.cookie.slice('karba='.length),
      'TOTP secret': setup.secret,
      'confirmation token': confirmation,
      'reset token': tokenIn(emails.find(({ to }) => to === email)),
      'invitation token': tokenIn(emails.find(({ to }) => to === invited.email)),
      ...Object.fromEntries(
        codes.recoveryCodes.map((each: string, at: number) => [`recovery code ${at}`, each]),
      ),
    }
    const texts = { database: await dumped(service), log: lines.join('\n') }
    for (const [name, secret] of Object.entries(secrets)) {
      assert.ok(secret?.length >= 10, name)
      for (const [place, text] of Object.entries(texts))
        assert.ok(
          !text.includes(secret) && !text.includes(secret.replaceAll('-', '')),
          `${name} in the ${place}`,
        )
    }
    const hashes = await service.db.read<{ hash: string }>(
      'select token_hash as hash from sessions',
    )
    for (const { hash } of hashes)
      for (const forged of [hash, Buffer.from(hash, 'hex').toString('base64url')])
        assert.equal((await ask(service, 'GET /session', { cookie: `karba=${forged}` })).code, 401)
  })

  it('session cookie: a forged, doubled or renamed one is refused', async () => {
    const { merchantId } = await service.merchant()
    const { cookie } = await signedIn(service, { at: merchantId, as: 'owner' })
    const token = cookie.slice('karba='.length)
    const changed = (token[0] === 'A' ? 'B' : 'A') + token.slice(1)
    for (const forged of [
      `karba=${changed}`,
      `karba=${token}x`,
      `karba=${token.slice(1)}`,
      `karba="${token}"`,
      `__Host-karba=${token}`,
      `Karba=${token}`,
      `karba=${token}; karba=${changed}`,
      `karba=${changed}; karba=${token}`,
      `karba=' or 1=1 --`,
      '',
    ]) {
      assert.equal((await ask(service, 'GET /session', { cookie: forged })).code, 401, forged)
    }
    assert.equal(
      (await ask(service, 'GET /session', { cookie: `other=1; ${cookie}; more=2` })).code,
      200,
    )
  })

  it('sign-in: a network that tries many addresses must wait; a /64 counts as one network', async () => {
    const codes: number[] = []
    for (let at = 0; at < 54; at++) {
      const guess = { email: `victim-${at}@example.com`, password: 'trois petits chiens' }
      const from = `2001:db8:1:2:${at.toString(16)}::1`
      codes.push((await ask(service, 'POST /sign-in', undefined, guess, {}, from)).code)
    }
    assert.deepEqual(
      [codes.slice(0, 50).every((code) => code === 401), codes.slice(50)],
      [true, [429, 429, 429, 429]],
    )
    const elsewhere = { email: 'victim-1@example.com', password: 'trois petits chiens' }
    assert.equal(
      (await ask(service, 'POST /sign-in', undefined, elsewhere, {}, '2001:db8:1:3::1')).code,
      401,
    )
  })

  it('sign-in: a flood from one /48 keeps only that /48 waiting', async () => {
    const guess = { email: 'victim@example.com', password: 'trois petits chiens' }
    const flood = Array.from({ length: 140 }, (_, at) =>
      ask(
        service,
        'POST /sign-in',
        undefined,
        { ...guess, email: `flood-${at}@example.com` },
        {},
        `2001:db8:7:${at.toString(16)}::1`,
      ),
    )
    const { code } = await ask(service, 'POST /sign-in', undefined, guess, {}, '198.51.100.9')
    assert.equal(code, 401, 'another network’s password is checked')
    const codes = new Set((await Promise.all(flood)).map((answer) => answer.code))
    assert.deepEqual([...codes].sort(), [401, 503])
  })

  it('password emails: a /48 has sixteen times the budget of a network, for any number of networks in it', async () => {
    const from = (network: string, at: number) =>
      ask(
        service,
        'POST /password/forgotten',
        undefined,
        { email: `stranger-${at}@example.com` },
        {},
        network,
      )
    let asked = 0
    for (; asked < 400; asked++) {
      const { code } = await from(`2001:db8:8:${asked.toString(16)}::1`, asked)
      if (code === 429) break
    }
    // Ten for a network of 64 bits, forty for the /56 that holds the first 256 of them.
    assert.equal(asked, 40)
    for (let nth = 1; nth < 4; nth++)
      for (let at = 0; at < 40; at++)
        await from(`2001:db8:8:${nth}${at.toString(16).padStart(2, '0')}::1`, 1_000 * nth + at)
    assert.equal((await from('2001:db8:8:900::1', 9_001)).code, 429, 'the whole /48 must wait')
    assert.equal((await from('2001:db8:9::1', 9_002)).code, 200, 'another network need not')
  })

  it('API answers: cannot be framed, cached or read by another page', async () => {
    const { headers } = await ask(service, 'GET /session')
    assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'")
    assert.deepEqual(
      [headers['cache-control'], headers['x-content-type-options']],
      ['no-store', 'nosniff'],
    )
    assert.equal(headers['access-control-allow-origin'], undefined)
  })

  it('first password: its person can only change it', async () => {
    const input = {
      name: 'Sani',
      email: 'sani@karba.example',
      role: 'support',
      language: 'fr',
    } as const
    const { email, password } = granted(await createStaff(service, TESTER, input))
    const who = {
      cookie: cookieOf(await ask(service, 'POST /sign-in', undefined, { email, password })),
    }
    assert.equal((await ask(service, 'GET /session', who)).body.mustDo, 'change_password')
    const refused = await ask(service, 'GET /console/merchants', who)
    assert.deepEqual([refused.code, refused.body.code], [403, 'must_change_password'])
    await ask(service, 'POST /password', who, { current: password, password: PASSWORD })
    assert.equal((await ask(service, 'GET /console/merchants', who)).code, 200)
  })
})

describe('dashboard in production, over https', async () => {
  const service = await openVirtualService(SQLITE, {
    KARBA_MODE: 'production',
    PUBLIC_URL: 'https://pay.example',
  })
  after(() => service.remove())
  const OWN = { origin: 'https://pay.example', 'sec-fetch-site': 'same-origin' }

  it('session cookie: is bound to the host and to https', async () => {
    const person = { name: 'Awa', email: 'awa@example.com', password: PASSWORD, language: 'fr' }
    const { headers } = await ask(
      service,
      'POST /sign-up',
      undefined,
      { ...person, merchantName: 'Chez Awa' },
      OWN,
    )
    const cookie = String(headers['set-cookie'])
    assert.match(
      cookie,
      /^__Host-karba=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    )
    const token = /=([\w-]{43})/.exec(cookie)?.[1]
    assert.equal((await ask(service, 'GET /session', { cookie: `karba=${token}` })).code, 401)
    assert.equal(
      (await ask(service, 'GET /session', { cookie: `__Host-karba=${token}` })).code,
      200,
    )
  })

  it('staff: must set up TOTP first', async () => {
    const { cookie } = await signedIn(service, { forServiceAs: 'administrator' })
    const who = { cookie: `__Host-${cookie}` }
    assert.equal((await ask(service, 'GET /session', who)).body.mustDo, 'set_up_totp')
    assert.equal((await ask(service, 'GET /console/merchants', who)).body.code, 'must_set_up_totp')
    const { body } = await ask(service, 'POST /totp/begin', who, {}, OWN)
    const code = new TOTP({ secret: body.secret }).generate({ timestamp: service.clock.now() })
    assert.equal((await ask(service, 'POST /totp/confirm', who, { code }, OWN)).code, 200)
    assert.equal((await ask(service, 'GET /console/merchants', who)).code, 200)
  })

  it('cross-site check: compares the origin with PUBLIC_URL, not with the Host header', async () => {
    const forget = (headers: Record<string, string>) =>
      ask(service, 'POST /password/forgotten', undefined, { email: 'a@b.example' }, headers)
    for (const origin of [
      'http://pay.example',
      'http://localhost',
      'https://evil.example',
      'https://pay.example.evil',
    ]) {
      const headers = { origin, host: new URL(origin).host, 'sec-fetch-site': 'same-origin' }
      const { code, body } = await forget(headers)
      assert.deepEqual([code, body.code], [403, 'cross_site'], origin)
    }
    const own = { ...OWN, host: '127.0.0.1:8080' }
    assert.equal((await forget(own)).code, 200)
  })

  it('mail page: does not exist in production', async () => {
    // The address gets the dashboard's index.html like any other.
    assert.doesNotMatch((await service.app.inject('/dashboard/mail')).body, /<article>|Emails/)
  })
})

it('content security policy of the dashboard: no inline script, no other host, no frame', () => {
  const policy = pageHeaders()['content-security-policy'] ?? ''
  assert.doesNotMatch(policy, /unsafe|\*|https?:|strict-dynamic/)
  assert.match(policy, /default-src 'none'; script-src 'self';/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.match(
    pageHeaders({ styleNonce: 'abc' })['content-security-policy'] ?? '',
    /style-src 'self' 'nonce-abc'/,
  )
})
