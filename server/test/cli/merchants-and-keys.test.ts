// The command karba as a person and a program use it: what it prints, where, and with which exit code.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { after, before, describe, it } from 'node:test'
import { runKarba } from '../kit/karba.ts'
import type { Ran } from '../kit/process.ts'
import { type Answer, openTestService, order, post, type TestService } from '../kit/service.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

describe('karba merchant, keys and payment beside a running server', () => {
  let service: TestService

  before(async () => {
    service = await openTestService()
  })
  after(() => service.remove())

  const karba = (...args: string[]): Promise<Ran> => runKarba(args, service.place.env)

  async function json(...args: string[]): Promise<Record<string, never>> {
    const { code, stdout, stderr } = await karba(...args, '--json')
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  const create = (secretKey: string, change: Record<string, unknown> = {}): Promise<Answer> =>
    post(service, secretKey, order(change))

  const pay = async (secretKey: string): Promise<number> => (await create(secretKey)).code

  it('makes a merchant whose keys work at once, and whose live account waits', async () => {
    const merchant = (await json('merchant', 'create', '--name', 'Boutique Awa')) as Record<string, never>
    const { merchant: id, sandbox, live } = merchant as unknown as Created
    assert.deepEqual(Object.keys(merchant), ['merchant', 'sandbox', 'live'])
    assert.deepEqual(Object.keys(sandbox), ['account', 'public_key', 'secret_key', 'validated'])
    assert.deepEqual([sandbox.validated, live.validated], [true, false])
    assert.equal(await pay(sandbox.secret_key), 200)
    assert.equal(await pay(live.secret_key), 403)
    await json('merchant', 'validate', id, '--environment', 'live')
    assert.equal(await payOnceSettled(live.secret_key, 200), 200)
    await json('merchant', 'suspend', id, '--environment', 'live')
    assert.equal(await payOnceSettled(live.secret_key, 403), 403)
  })

  it('makes a merchant that is validated for live when told so', async () => {
    const created = (await json('merchant', 'create', '--name', 'Chez Ali', '--validate-live')) as unknown as Created
    assert.equal(created.live.validated, true)
    assert.equal(await pay(created.live.secret_key), 200)
  })

  it('rolls keys with and without an overlap, and revokes them', async () => {
    const { sandbox } = (await json('merchant', 'create', '--name', 'Rolls')) as unknown as Created
    const second = (await json('keys', 'roll', sandbox.account, '--keep-old', '24h')) as unknown as Pair
    assert.deepEqual([await pay(sandbox.secret_key), await pay(second.secret_key)], [200, 200])
    const third = (await json('keys', 'roll', sandbox.account)) as unknown as Pair
    assert.equal(await pay(third.secret_key), 200)
    assert.equal(await payOnceSettled(second.secret_key, 401), 401)
    const byInput = await runKarba(['keys', 'revoke', '-', '--json'], service.place.env, `${third.secret_key}\n`)
    assert.deepEqual(JSON.parse(byInput.stdout), { revoked: 1 })
    assert.equal(await payOnceSettled(third.secret_key, 401), 401)
    assert.deepEqual(await json('keys', 'revoke', sandbox.account), { revoked: 1 })
    const noted = (await json('audit', sandbox.account, '--since', '1h')) as unknown as Record<string, unknown>[]
    const deeds = ['keys.revoke', 'keys.revoke', 'keys.roll', 'keys.roll']
    assert.deepEqual(
      noted.map(({ action }) => action),
      deeds,
    )
    const me = `shell ${userInfo().username}@${hostname()}`
    assert.deepEqual([...new Set(noted.map(({ actor }) => actor))], [me])
  })

  it('notes who used sudo, and as whom', async () => {
    const { sandbox } = (await json('merchant', 'create', '--name', 'Sudo')) as unknown as Created
    await runKarba(['keys', 'roll', sandbox.account], { ...service.place.env, SUDO_USER: 'amina' })
    const [noted] = (await json('audit', sandbox.account)) as unknown as [Record<string, unknown>]
    assert.equal(noted.actor, `shell amina as ${userInfo().username}@${hostname()}`)
    assert.deepEqual(Object.keys(noted), ['at', 'actor', 'action', 'subject', 'before', 'detail'])
  })

  /** A key's state is believed for up to a second (D-17): asks until it has been told, and for no longer than 3 s. */
  async function payOnceSettled(secretKey: string, wanted: number): Promise<number> {
    const deadline = performance.now() + 3_000
    let code = await pay(secretKey)
    while (code !== wanted && performance.now() < deadline) code = await pay(secretKey)
    return code
  }

  it('tells what a payment was at a time, with the story up to then', async () => {
    const { sandbox } = (await json('merchant', 'create', '--name', 'Story')) as unknown as Created
    // Succeeds in the answer to the request.
    const created = await create(sandbox.secret_key, { msisdn: '40410000100' })
    const { reference } = created.body as { reference: string }
    const tell = async (...args: string[]) => (await json('payment', reference, ...args)) as unknown as EventPayment
    const now = await until('outcome of the payment', async () => {
      const shown = await tell()
      return shown.status !== 'pending' && shown
    })
    assert.deepEqual(kinds(now), ['request', 'moved'])
    const movedAt = (now.story[1] as { at: string }).at

    const before = await tell('--at', now.created_at)
    assert.deepEqual([before.status, before.as_of, kinds(before)], ['pending', now.created_at, []])
    const then = await tell('--at', movedAt)
    assert.deepEqual([then.status, kinds(then)], ['succeeded', ['request', 'moved']])
    const lines = await karba('payment', reference, '--at', now.created_at)
    assert.match(lines.stdout, new RegExp(`XOF  pending at ${now.created_at}\\n[^]*recorded as pending\\n$`))

    const tooEarly = await karba('payment', reference, '--at', '2020-01-01T00:00:00+01:00')
    const sentence = `karba: The payment did not exist at that time: it was recorded at ${now.created_at}.\n`
    assert.deepEqual(tooEarly, { code: 1, stdout: '', stderr: sentence })
  })

  const kinds = ({ story }: EventPayment): string[] => story.map(({ kind }) => kind)

  it('lists merchants and keys, and never a secret key', async () => {
    const merchants = (await json('merchant', 'list')) as unknown as { name: string; sandbox: { account: string } }[]
    assert.deepEqual(
      merchants.map(({ name }) => name),
      ['Boutique Awa', 'Chez Ali', 'Rolls', 'Sudo', 'Story'],
    )
    assert.deepEqual(Object.keys(merchants[0] ?? {}), ['merchant', 'name', 'created_at', 'sandbox', 'live'])
    const { stdout } = await karba('keys', 'list', merchants[2]?.sandbox.account as string)
    const [heading, ...keys] = stdout.trim().split('\n')
    assert.match(heading as string, /^KEY +SHOWN AS +CREATED +STATE$/)
    assert.equal(keys.length, 6)
    assert.doesNotMatch(stdout, /sk_sandbox_\w{5}/)
  })

  it('lists by pages, and tells people the command for the next one', async () => {
    const first = await karba('merchant', 'list', '--limit', '3')
    assert.equal(first.stdout.split('\n').length, 1 + 3 * 2 + 1)
    const [, next] = /^There are more: npm run -s karba -- merchant list --limit 3 --after (\S+)\n$/.exec(
      first.stderr,
    ) as unknown as [string, string]
    const rest = await karba('merchant', 'list', '--limit', '3', '--after', next)
    assert.equal(rest.stderr, '')
    assert.match(rest.stdout, /^MERCHANT .*\n.*Sudo\n.*Sudo\n.*Story\n.*Story\n$/)
    const names = async (...args: string[]) =>
      ((await json('merchant', 'list', ...args)) as unknown as { name: string }[]).map(({ name }) => name)
    assert.deepEqual(await names('--limit', '1'), ['Boutique Awa'])
    assert.deepEqual(await names('--after', next), ['Sudo', 'Story'])
  })
})

interface Pair {
  public_key: string
  secret_key: string
}

interface EventPayment {
  status: string
  as_of?: string
  created_at: string
  story: { at: string; kind: string }[]
}

interface Created {
  merchant: string
  sandbox: Pair & { account: string; validated: boolean }
  live: Pair & { account: string; validated: boolean }
}

describe('karba called wrongly', () => {
  const WRONG: [args: string[], code: number, says: RegExp][] = [
    [['merchant', 'create'], 2, /--name/],
    [['merchant', 'create', '--name', ' '], 2, /1 to 255 characters/],
    [['merchant', 'validate', 'mer_x'], 2, /--environment/],
    [['merchant', 'validate', 'mer_x', '--environment', 'prod'], 2, /sandbox, live/],
    [['keys', 'roll', 'acc_x', '--keep-old', '73h'], 2, /72h at the most/],
    [['payment', 'x', '--at', 'yesterday'], 2, /Say it as 2026-11-15T09:30:00Z/],
    [['payment', 'x', '--at', '2026-11-15T09:30:00'], 2, /Say it as 2026-11-15T09:30:00Z/],
    [['payment', 'x', '--at', '2026-13-15T09:30:00Z'], 2, /Say it as 2026-11-15T09:30:00Z/],
    [['nothing'], 2, /unknown command/],
    [['merchant', 'list', '--loud'], 2, /unknown option/],
    [['merchant', 'validate', 'mer_x', '--environment', 'live'], 1, /mer_x: There is no such merchant/],
    [['keys', 'roll', 'acc_x'], 1, /acc_x: There is no such account/],
    [['keys', 'revoke', 'key_x'], 1, /no such valid key/],
  ]
  let place: StorePlace
  before(async () => {
    place = await SQLITE.makePlace()
    await runKarba(['migrate'], place.env)
  })
  after(() => place.remove())

  for (const [args, code, says] of WRONG) {
    it(`karba ${args.join(' ')} leaves with ${code} and says why on stderr`, async () => {
      const ran = await runKarba(args, place.env)
      assert.equal(ran.code, code)
      assert.equal(ran.stdout, '')
      assert.match(ran.stderr, says)
      assert.doesNotMatch(ran.stderr, /\n\s+at /)
    })
  }

  for (const args of [
    ['merchant', 'create'],
    ['merchant', 'list'],
    ['keys', 'roll'],
    ['keys', 'revoke'],
    ['payment'],
    ['payment', 'list'],
    ['refund'],
    ['anomalies'],
    ['audit'],
    ['simulator'],
    ['config'],
    [],
  ]) {
    it(`karba ${args.join(' ')} --help shows an example and leaves with 0`, async () => {
      const { code, stdout } = await runKarba([...args, '--help'], place.env)
      assert.equal(code, 0)
      assert.match(stdout, /Examples?:\n {2}npm run -s karba -- /)
    })
  }

  it('karba --version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
    assert.deepEqual(await runKarba(['--version'], place.env), { code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('karba config prints every setting, and no secret', async () => {
    const { code, stdout } = await runKarba(['config', '--json'], { ...place.env, KARBA_METRICS_TOKEN: 'hush-hush' })
    assert.equal(code, 0)
    assert.ok(JSON.parse(stdout).some(({ name }: { name: string }) => name === 'KARBA_DATA_DIR'))
    assert.doesNotMatch(stdout, /hush-hush/)
  })
})
