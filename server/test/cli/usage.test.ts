// The output of karba when a command fails or is called wrongly: a sentence, or with --json one
// object; exit code 1 for a failure, 2 for a usage error. And its help.
import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { after, describe, it } from 'node:test'
import type { Command } from 'commander'
import { Cli, shellCaller } from '../../src/cli/cli.ts'
import { karbaCommand } from '../../src/cli/run-karba.ts'
import { runKarba } from '../kit/karba.ts'
import { SQLITE } from '../kit/stores.ts'

describe('karba failures', async () => {
  const place = await SQLITE.makePlace()
  await runKarba(['migrate'], place.env)
  after(() => place.remove())

  const WRONG: [args: string, code: 1 | 2, says: RegExp][] = [
    ['merchant create', 2, /--name/],
    ['merchant create --name ', 2, /1 to 255 characters/],
    ['merchant validate mer_x', 2, /--environment/],
    ['merchant validate mer_x --environment prod', 2, /sandbox, live/],
    ['merchant list --loud', 2, /unknown option/],
    ['merchant validate mer_x --environment live', 1, /mer_x: There is no such merchant/],
    ['merchant checkout acc_x --methods cheque', 2, /Choose from mobile, bank_card, wallet/],
    ['keys roll acc_x --keep-old 73h', 2, /at most 72h/],
    ['keys roll acc_x', 1, /acc_x: There is no such account/],
    ['keys revoke key_x', 1, /no such valid key/],
    ['payment x --at yesterday', 2, /Write it as 2026-11-15T09:30:00Z/],
    ['payment x --at 2026-11-15T09:30:00', 2, /Write it as 2026-11-15T09:30:00Z/],
    ['payment x --at 2026-13-15T09:30:00Z', 2, /Write it as 2026-11-15T09:30:00Z/],
    ['nothing', 2, /unknown command/],
    ['link create acc_x --title x', 2, /either --amount or --minimum-amount/],
    ['link create acc_x --title x --amount 5 --minimum-amount 5', 2, /either --amount or/],
    ['link create acc_x --amount 100', 2, /--title/],
    ['link create acc_x --amount 1e3 --title x', 2, /whole number/],
    ['link create acc_x --amount -5 --title x', 2, /whole number/],
    ['link show', 2, /missing required argument 'name'/],
    ['link list --status open', 2, /Allowed choices are initiated, pending/],
    [
      'webhook add acc_x',
      2,
      /^karba: required option '--url <url>' not specified\n`npm run -s karba -- webhook add --help` shows the usage\.\n$/,
    ],
    ['webhook add acc_x --secret-hash x', 2, /--url/],
    ['webhook roll-secret whe_x --keep-old 73h', 2, /at most 72h/],
    [
      'webhook deliveries --since yesterday',
      2,
      /Write it as 24h or 7d ago, or as 2026-11-15T09:30:00Z/,
    ],
    ['webhook deliveries --limit 0', 2, /whole number from 1 to 1000/],
    ['webhook replay', 2, /name one delivery, or use either --failed or --payment/],
    [
      'webhook replay whe_x-1 --payment y',
      2,
      /name one delivery, or use either --failed or --payment/,
    ],
    [
      'webhook replay --failed --since 24h --payment y',
      2,
      /--since goes with --failed|either --failed or --payment/,
    ],
    ['webhook replay --failed', 2, /--failed needs --since/],
    ['webhook replay whe_x-1 --since 24h', 2, /--since goes with --failed/],
  ]
  for (const [args, code, says] of WRONG)
    it(`karba ${args}: exits with ${code} and one reason on stderr`, async () => {
      const ran = await runKarba(args.split(' '), place.env)
      assert.deepEqual([ran.code, ran.stdout], [code, ''])
      assert.match(ran.stderr, says)
      assert.doesNotMatch(ran.stderr, /\n\s+at /)
    })

  const NO_POSTGRES = { DATABASE_URL: 'postgres://127.0.0.1:1/karba' }
  const JSON_ERRORS: [
    args: string,
    exitCode: number,
    error: Record<string, unknown>,
    env?: Record<string, string>,
  ][] = [
    ['payment unknown', 1, { code: 'payment_not_found' }],
    ['refund unknown', 1, { code: 'payment_not_found' }],
    ['link cancel unknown', 1, { code: 'link_not_found' }],
    ['payment list acc_x', 1, { code: 'account_not_found' }],
    ['payment list --after here', 1, { code: 'cursor_not_valid' }],
    ['webhook delivery whe_x-1', 1, { code: 'delivery_not_found' }],
    [
      'merchant checkout acc_x --origins http://shop.example',
      1,
      { code: 'site_origin_not_valid', origin: 'http://shop.example', fault: 'not_https' },
    ],
    [
      'webhook add acc_x --url http://shop.example --secret-hash x',
      1,
      { code: 'webhook_url_not_valid', fault: 'not_https' },
    ],
    [
      'webhook add acc_x --url https://shop.example --secret-hash x',
      1,
      { code: 'secret_hash_not_valid', shortest: 16, longest: 255 },
    ],
    ['privacy erase 96123456', 1, { code: 'number_not_valid' }],
    ['master-key rotate --new-key x', 2, { code: 'usage' }],
    [
      'merchant create',
      2,
      { code: 'usage', message: "required option '--name <name>' not specified" },
    ],
    ['payment list --status lost', 2, { code: 'usage' }],
    ['nothing', 2, { code: 'usage', message: "unknown command 'nothing'" }],
    ['payment', 2, { code: 'usage', message: "missing required argument 'name'" }],
    ['config', 1, { code: 'not_started' }, { KARBA_NONSENSE: '1' }],
    ['merchant list', 1, { code: 'store_unavailable' }, NO_POSTGRES],
    ['link create acc_x --amount 500 --title x', 1, { code: 'page_address_not_known' }],
  ]
  for (const [args, exitCode, wanted, env] of JSON_ERRORS)
    it(`karba ${args} --json: exits with ${exitCode} and one object, ${wanted.code}`, async () => {
      const { code, stdout, stderr } = await runKarba([...args.split(' '), '--json'], {
        ...place.env,
        ...env,
      })
      assert.deepEqual([code, stdout], [exitCode, ''])
      const { error, ...others } = JSON.parse(stderr)
      assert.deepEqual(others, {})
      assert.match(error.message, /\w/)
      assert.deepEqual({ ...error, ...wanted }, error)
    })

  it('karba: prints English in a French shell too', async () => {
    const ran = await runKarba(['keys', 'list', 'acc_x'], { ...place.env, LANG: 'fr_FR.UTF-8' })
    const sentence = 'acc_x: There is no such account. `karba merchant list` shows them all.'
    assert.deepEqual(ran, { code: 1, stdout: '', stderr: `karba: ${sentence}\n` })
  })

  it('karba --json: prints the sentence with its code and facts', async () => {
    const args = ['merchant', 'checkout', 'acc_x', '--origins', 'https://Shop.example', '--json']
    const { stderr } = await runKarba(args, place.env)
    assert.deepEqual(JSON.parse(stderr), {
      error: {
        code: 'site_origin_not_valid',
        message: 'https://Shop.example must be written as browsers write it: https://shop.example.',
        origin: 'https://Shop.example',
        fault: 'written_otherwise',
        written_as: 'https://shop.example',
      },
    })
  })

  it('karba --help: every command, or its parent, shows an example', async () => {
    const helpOf = (command: Command): string => {
      let help = ''
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
      return help
    }
    const check = (command: Command, isShownAbove: boolean): void => {
      const isShown = /Examples?:\n {2}(\S+=\S+ )?npm run -s karba -- /.test(helpOf(command))
      if (command.commands.length === 0) assert.ok(isShown || isShownAbove, command.name())
      for (const child of command.commands) check(child, isShown && command.parent !== null)
    }
    const karba = await karbaCommand(new Cli([], process as never))
    assert.ok(karba.commands.length >= 20)
    check(karba, false)
    assert.match(helpOf(karba), /Examples:\n {2}npm run -s karba -- /)
    assert.equal((await runKarba(['keys', 'roll', '--help'], place.env)).code, 0)
  })

  it('karba help: prints what --help prints, also for a command and a subcommand', async () => {
    for (const command of [[], ['keys'], ['keys', 'roll']]) {
      const help = await runKarba(['help', ...command], place.env)
      assert.equal(help.code, 0)
      assert.deepEqual(help, await runKarba([...command, '--help'], place.env))
    }
  })

  it('karba config: prints every setting, and no secret', async () => {
    const { code, stdout } = await runKarba(['config', '--json'], {
      ...place.env,
      KARBA_METRICS_TOKEN: 'hush-hush',
    })
    assert.equal(code, 0)
    assert.ok(JSON.parse(stdout).some(({ name }: { name: string }) => name === 'KARBA_DATA_DIR'))
    assert.doesNotMatch(stdout, /hush-hush/)
  })
})

const noUserName = (): string => {
  throw new Error('uv_os_get_passwd returned ENOENT')
}

const USERS: [about: string, env: Record<string, string>, system: () => string, user: string][] = [
  ['is the system’s user', {}, () => 'amina', 'amina'],
  ['is both under sudo', { SUDO_USER: 'amina' }, () => 'root', 'amina as root'],
  ['is one who used sudo for themselves', { SUDO_USER: 'amina' }, () => 'amina', 'amina'],
  ['is a number where there is no name', {}, noUserName, String(process.geteuid?.())],
  ['ignores a SUDO_USER with a line break', { SUDO_USER: 'x\nshell root' }, () => 'amina', 'amina'],
]
for (const [about, env, system, user] of USERS)
  it(`the caller of a command in the audit log ${about}`, () =>
    assert.deepEqual(shellCaller(env, system), { is: 'shell', user, host: hostname() }))
