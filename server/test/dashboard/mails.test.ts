// Letters: what does not leave is tried again later, for a day; only the newest token works; and a mail server gets what it should.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Email } from '../../src/actions/people/emails.ts'
import { makeLog } from '../../src/observability/log.ts'
import { openMail } from '../../src/service/mail-sender.ts'
import { ask, signedIn } from '../kit/people.ts'
import { openTestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { until } from '../kit/waiting.ts'

const PERSON = { name: 'Awa', password: 'trois petits chats', merchantName: 'Boutique', language: 'en' }
const HOUR_MS = 3_600_000
const tokenIn = (letter: Email | undefined): string => /#([\w-]{43})/.exec(letter?.text ?? '')?.[1] as string

describe('letters', () => {
  let service: VirtualService
  const tried: Email[] = []
  let works = false
  before(async () => {
    const send = async (letter: Email): Promise<void> => {
      tried.push(letter)
      if (!works) throw new Error('the mail server is away')
    }
    service = await openVirtualService(SQLITE, {}, { mailSender: { send, close: async () => {} } })
  })
  after(() => service.remove())

  const forget = async (email: string) => {
    works = true
    await ask(service, 'POST /sign-up', undefined, { ...PERSON, email })
    await service.clock.advance(2_000)
    const token = tokenIn(tried.at(-1))
    const confirmed = await ask(service, 'POST /confirmation/confirm', undefined, { ...PERSON, token })
    assert.equal(confirmed.code, 200)
    tried.length = 0
    works = false
    await ask(service, 'POST /password/forgotten', undefined, { email })
  }
  const reset = async (token: string) =>
    (await ask(service, 'POST /password/reset', undefined, { token, password: 'Zinder-2026-mil' })).code

  it('are tried again, later each time, with a token of their own; the newest works', async () => {
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

  it('emails: names from before the rule that hold an address or a line break are left out, long ones are cut', async () => {
    works = true
    const { merchantId, accounts } = await service.merchant()
    const owner = await signedIn(service, { at: merchantId, as: 'owner' })
    for (const [at, [name, shown]] of [
      ['Compte bloqué: https://evil.example', 'Karba : invitation à rejoindre une équipe'],
      ['Boutique\r\nBcc: victim@example.com', 'Karba : invitation à rejoindre une équipe'],
      ['Boutique Awa', 'Karba : invitation à rejoindre « Boutique Awa »'],
      [`Boutique ${'a'.repeat(200)}`, `Karba : invitation à rejoindre « Boutique ${'a'.repeat(50)}… »`],
    ].entries()) {
      await service.db.change('update merchants set name = $2 where merchant_id = $1', [merchantId, name ?? ''])
      const invited = { email: `invited-${at}@example.com`, role: 'viewer' }
      const { code } = await ask(service, `POST /accounts/${accounts.sandbox.accountId}/invitations`, owner, invited)
      assert.equal(code, 200)
      await service.clock.advance(2_000)
      const letter = tried.find(({ to }) => to === invited.email)
      assert.equal(letter?.subject, shown)
      assert.doesNotMatch(letter?.text ?? '', /evil|Bcc/)
    }
  })

  it('are given up after a day', async () => {
    await forget('moussa@example.com')
    for (let hours = 0; hours < 48; hours++) await service.clock.sleep(HOUR_MS)
    const attempts = tried.filter(({ to }) => to === 'moussa@example.com').length
    assert.equal(attempts, 10)
    const [row] = await service.db.rows<{ due: number | null; error: string }>(
      `select due_at as due, last_error as error from mails where email = 'moussa@example.com' and kind = 'password_reset'`,
    )
    assert.deepEqual(row, { due: null, error: 'the mail server is away' })
  })
})

it('a mail server gets the letter, with its accents', async (t) => {
  const said: string[] = []
  const server = createServer((socket) => {
    let inData = false
    socket.write('220 mail.example ESMTP\r\n')
    socket.on('data', (bytes) => {
      for (const line of bytes.toString().split('\r\n').slice(0, -1)) {
        said.push(line)
        if (inData && line !== '.') continue
        const isData = /^DATA$/i.test(line)
        const answer = inData ? '250 taken' : isData ? '354 go on' : /^QUIT/i.test(line) ? '221 bye' : '250 fine'
        inData = isData
        socket.write(`${answer}\r\n`)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  const settings = { KARBA_SMTP_URL: `smtp://127.0.0.1:${port}?ignoreTLS=true`, KARBA_MAIL_FROM: 'Karba <k@k.example>' }
  const place = await SQLITE.makePlace(settings)
  t.after(() => place.remove())
  const mail = openMail(place.config, makeLog('silent'))
  await mail.send({ to: 'awa@example.com', subject: 'Réinitialiser', text: 'Été à Zinder' })
  await mail.close()
  const whole = said.join('\n')
  assert.match(whole, /MAIL FROM:<k@k\.example>/)
  assert.match(whole, /RCPT TO:<awa@example\.com>/)
  assert.match(whole, /Subject: =\?UTF-8\?Q\?R=C3=A9initialiser\?=/)
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
  // What a proxy on this machine that adds no header and rewrites Host would send for a stranger.
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

it('a stop lets nobody in while a letter is under way, and does not wait for it without end', async () => {
  let hasBegun = false
  const send = (): Promise<void> => {
    hasBegun = true
    return new Promise(() => {})
  }
  const service = await openTestService(undefined, {}, { mailSender: { send, close: async () => {} } })
  await service.listen()
  await ask(service, 'POST /sign-up', undefined, { ...PERSON, email: 'awa@example.com' })
  await ask(service, 'POST /password/forgotten', undefined, { email: 'awa@example.com' })
  await until('letter under way', () => hasBegun)
  let isClosed = false
  const closing = service.close().then(() => {
    isClosed = true
  })
  await until('closed door', () => !service.app.server.listening)
  assert.equal(isClosed, false)
  await closing
  await service.place.remove()
})
