// The operators file: the connections of a valid one, and one sentence with its location for every
// kind of mistake. No sentence repeats a value that could be a secret.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CONNECTORS } from '../../src/operators/connectors/all.ts'
import { type OperatorsFile, readOperatorsFile } from '../../src/service/operators-file.ts'
import { column } from '../kit/callers.ts'

const VARIABLES: Record<string, string> = {
  MTN_KEY: 'canary-subscription',
  MTN_USER: 'canary-user',
  EMPTY: ' ',
}
const FILES: Record<string, string> = {
  '/run/secrets/mtn': 'canary-api-key\n',
  '/run/secrets/empty': '\n',
  '/etc/ca.pem': 'no certificate',
}

const mtn = (change: object = {}): Record<string, unknown> => ({
  name: 'mtn-benin',
  connector: 'mtn-momo',
  options: {
    subscriptionKey: { env: 'MTN_KEY' },
    apiUser: { env: 'MTN_USER' },
    apiKey: { file: '/run/secrets/mtn' },
  },
  ...change,
})
const withOption = (change: object): Record<string, unknown> =>
  mtn({ options: { ...(mtn().options as object), ...change } })
const live = (connections: unknown, routes: unknown = []): object => ({
  live: { connections, routes },
})
const ROUTE = { operator: 'mtn_bj', connection: 'mtn-benin' }

function read(file: unknown, isProduction = true): OperatorsFile | { mistakes: string[] } {
  const readText = (path: string): string => {
    const text = FILES[path]
    if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    return text
  }
  const text = typeof file === 'string' ? file : JSON.stringify(file)
  return readOperatorsFile(text, {
    connectors: CONNECTORS,
    env: (name) => VARIABLES[name],
    readText,
    isProduction,
  })
}

const AT = 'live.connections[0]'
const IN = `${AT} (mtn-benin)`
const UNSET = 'which is not set.'
const KEY = `${IN}.options.apiKey`
const NEEDS_ROUTE = 'live.routes[0] must be an operator or a method, and a connection'

/** The whole sentence; without a full stop, its beginning. */
const MISTAKES: [about: string, file: unknown, sentence: string][] = [
  ['no JSON', '{"live": ', 'It is not JSON: '],
  ['a list', [], 'The file must be an object: {…}.'],
  [
    'an unknown environment',
    { production: {} },
    'The file has production, which it does not know.',
  ],
  ['no connections', { live: { routes: [] } }, 'live.connections is missing.'],
  ['an empty list of connections', live([]), 'live.connections must have at least one.'],
  ['connections that are not a list', live({}), 'live.connections must be a list: […].'],
  ['no routes', { live: { connections: [mtn()] } }, 'live.routes is missing.'],
  ['no name', live([mtn({ name: undefined })]), `${AT}.name is missing.`],
  [
    'a name with other characters',
    live([mtn({ name: 'MTN Bénin' })]),
    `${AT}.name must be small letters, digits and hyphens, such as mtn-benin.`,
  ],
  [
    'a name twice',
    live([mtn(), mtn()]),
    'live.connections[1].name is “mtn-benin”, which another connection has',
  ],
  [
    'an unknown field',
    live([mtn({ adress: 'https://x.example' })]),
    `${IN} has adress, which it does not know.`,
  ],
  [
    'an unknown connector',
    live([mtn({ connector: 'orange' })]),
    `${AT}.connector is “orange”; there are: mtn-momo, airtel-money, fedapay, pawapay.`,
  ],
  [
    'an address without https',
    live([mtn({ address: 'http://proxy.example' })]),
    `${AT}.address must begin with https:// unless it leads to this machine.`,
  ],
  [
    'an invalid address',
    live([mtn({ address: 'momo' })]),
    `${IN}.address must be an address that begins with https://.`,
  ],
  [
    'a live address on this machine',
    live([mtn({ address: 'http://127.0.0.1:4556' })]),
    `${AT}.address leads to this machine, where only a simulator can be`,
  ],
  [
    'a connector without a default address',
    live([mtn({ connector: 'airtel-money', options: {} })]),
    `${AT}.address is missing: airtel-money has no address of its own for live.`,
  ],
  [
    'limits of zero',
    live([mtn({ limits: { status: { perSecond: 0 } } })]),
    `${IN}.limits.status.perSecond must be `,
  ],
  [
    'limits that are not integers',
    live([mtn({ limits: { request: { atOnce: 1.5 } } })]),
    `${IN}.limits.request.atOnce must be a whole number.`,
  ],
  ['takes that is a text', live([mtn({ takes: 'yes' })]), `${IN}.takes must be true or false.`],
  [
    'a credential in the file itself',
    live([withOption({ apiKey: 'canary-in-file' })]),
    `${KEY} must be {"env": "NAME"} or {"file": "path"}`,
  ],
  ['a credential that is missing', live([withOption({ apiKey: undefined })]), `${KEY} is missing.`],
  ...['NOWHERE', 'EMPTY'].map((name): (typeof MISTAKES)[number] => [
    `the variable ${name}`,
    live([withOption({ apiKey: { env: name } })]),
    `${KEY} names the environment variable ${name}, ${UNSET}`,
  ]),
  [
    'a missing file',
    live([withOption({ apiKey: { file: '/nowhere' } })]),
    `${KEY} names the file /nowhere, which cannot be read: ENOENT.`,
  ],
  [
    'an empty file',
    live([withOption({ apiKey: { file: '/run/secrets/empty' } })]),
    `${KEY} names the file /run/secrets/empty, which is empty.`,
  ],
  [
    'an unknown option',
    live([withOption({ apikey: { env: 'MTN_KEY' } })]),
    `${IN}.options has apikey, which it does not know.`,
  ],
  [
    'an option of another type',
    live([withOption({ platform: 'newest' })]),
    `${IN}.options.platform must be one of: old, new.`,
  ],
  [
    'missing certificates',
    live([mtn({ certificatesFile: '/nowhere' })]),
    `${AT}.certificatesFile is /nowhere, which cannot be read: ENOENT.`,
  ],
  [
    'invalid certificates',
    live([mtn({ certificatesFile: '/etc/ca.pem' })]),
    `${AT}.certificatesFile is /etc/ca.pem, which has no certificate in it.`,
  ],
  [
    'a route to an unknown connection',
    live([mtn()], [{ ...ROUTE, connection: 'mtn' }]),
    'live.routes[0].connection is “mtn”, and there is no connection of that name here.',
  ],
  ['a route without an operator', live([mtn()], [{ connection: 'mtn-benin' }]), NEEDS_ROUTE],
  ['a route for an unknown operator', live([mtn()], [{ ...ROUTE, operator: 'mtn' }]), NEEDS_ROUTE],
  [
    'an operator that it does not reach',
    live([mtn()], [{ ...ROUTE, operator: 'airtel_ne' }]),
    'live.routes[0].operator is “airtel_ne”; mtn-momo reaches mtn_bj.',
  ],
  [
    'a page that it lacks',
    live([mtn()], [{ method: 'bank_card', connection: 'mtn-benin' }]),
    'live.routes[0].method is “bank_card”; mtn-momo has none.',
  ],
]

describe('operators file', () => {
  for (const [about, file, sentence] of MISTAKES) {
    it(`with ${about} is refused with one sentence that names the location`, () => {
      const result = read(file)
      assert.ok('mistakes' in result, 'it is refused')
      const [mistake = '', ...more] = result.mistakes
      assert.deepEqual(
        [sentence.endsWith('.') ? mistake : mistake.slice(0, sentence.length), more],
        [sentence, []],
      )
      assert.doesNotMatch(mistake, /canary/)
    })
  }

  it('with several mistakes reports all of them', () => {
    const second = mtn({ name: 'second', connector: 'orange' })
    const result = read(live([withOption({ apiKey: { env: 'NOWHERE' } }), second]))
    assert.ok('mistakes' in result && result.mistakes.length === 2)
  })

  it('configures connections with their secrets and the default limits', () => {
    const result = read(live([mtn()], [ROUTE]))
    assert.ok('connections' in result, JSON.stringify(result))
    assert.partialDeepStrictEqual(result, {
      environments: ['live'],
      connections: [
        {
          name: 'mtn-benin',
          address: 'https://momoapi.momo.africa',
          takes: true,
          prompts: ['mtn_bj'],
          limits: {
            request: { atOnce: 40, perSecond: undefined },
            status: { atOnce: 10, perSecond: 10 },
          },
          options: { apiKey: 'canary-api-key' },
        },
      ],
    })
  })

  it('prefers connections in the order of the routes', () => {
    const two = [mtn(), mtn({ name: 'mtn-old', address: 'https://proxy.momoapi.mtn.com' })]
    const result = read(live(two, [{ ...ROUTE, connection: 'mtn-old' }, ROUTE]))
    assert.ok('connections' in result)
    assert.deepEqual(column(result.connections, 'name'), ['mtn-old', 'mtn-benin'])
  })

  it('may connect sandbox, and in development live, to a simulator on this machine', () => {
    const here = mtn({ address: 'http://127.0.0.1:4556' })
    assert.ok('connections' in read({ sandbox: { connections: [here], routes: [] } }))
    assert.ok('connections' in read(live([here]), false))
  })
})
