// What karba says when something goes wrong: a sentence in the shell's language, or with --json one object, and the same exit codes.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { runKarba } from '../kit/karba.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'

describe('a failed command', () => {
  let place: StorePlace
  before(async () => {
    place = await SQLITE.makePlace()
    await runKarba(['migrate'], place.env)
  })
  after(() => place.remove())

  const NO_POSTGRES = { DATABASE_URL: 'postgres://127.0.0.1:1/karba' }
  const JSON_ERRORS: [args: string, exitCode: number, error: Record<string, unknown>, env?: Record<string, string>][] =
    [
      ['payment nobody', 1, { code: 'payment_not_found' }],
      ['refund nobody', 1, { code: 'payment_not_found' }],
      ['link cancel nobody', 1, { code: 'link_not_found' }],
      ['payment list acc_x', 1, { code: 'account_not_found' }],
      ['payment list --after here', 1, { code: 'cursor_not_valid' }],
      ['webhook delivery whe_x-1', 1, { code: 'delivery_not_found' }],
      [
        'merchant checkout acc_x --origins http://shop.example',
        1,
        {
          code: 'site_origin_not_valid',
          origin: 'http://shop.example',
          fault: 'not_https',
        },
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
      ['merchant create', 2, { code: 'usage', message: "required option '--name <name>' not specified" }],
      ['payment list --status lost', 2, { code: 'usage' }],
      ['nothing', 2, { code: 'usage', message: "unknown command 'nothing'" }],
      ['payment', 2, { code: 'usage', message: "missing required argument 'name'" }],
      ['config', 1, { code: 'not_started' }, { KARBA_NONSENSE: '1' }],
      ['merchant list', 1, { code: 'store_unavailable' }, NO_POSTGRES],
      ['link create acc_x --amount 500 --title x', 1, { code: 'page_address_not_known' }],
    ]
  for (const [args, exitCode, wanted, env] of JSON_ERRORS) {
    it(`karba ${args} --json leaves with ${exitCode} and one object, ${wanted.code}`, async () => {
      const { code, stdout, stderr } = await runKarba([...args.split(' '), '--json'], { ...place.env, ...env })
      assert.deepEqual([code, stdout], [exitCode, ''])
      const { error, ...others } = JSON.parse(stderr)
      assert.deepEqual(others, {})
      assert.match(error.message, /\w/)
      assert.deepEqual({ ...error, ...wanted }, error)
    })
  }

  it('speaks English in a French shell too', async () => {
    const ran = await runKarba(['keys', 'list', 'acc_x'], { ...place.env, LANG: 'fr_FR.UTF-8' })
    const sentence = 'acc_x: There is no such account. `karba merchant list` shows them all.'
    assert.deepEqual(ran, { code: 1, stdout: '', stderr: `karba: ${sentence}\n` })
  })

  it('--json prints the sentence with its code and facts', async () => {
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
})
