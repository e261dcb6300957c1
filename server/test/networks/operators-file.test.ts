// The operators file: the connections of a valid one, and one sentence with its location for every kind of mistake. No
// sentence repeats a value that could be a secret.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CONNECTORS } from '../../src/operators/connectors/all.ts'
import { type OperatorsFile, readOperatorsFile } from '../../src/service/operators-file.ts'
import { column } from '../kit/column.ts'

const VARIABLES: Record<string, string> = { MTN_KEY: 'canary-subscription', MTN_USER: 'canary-user', EMPTY: ' ' }
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
const live = (connections: unknown, routes: unknown = []): object => ({ live: { connections, routes } })
const ROUTE = { operator: 'mtn_bj', connection: 'mtn-benin' }

function read(file: unknown, isProduction = true): OperatorsFile | { mistakes: string[] } {
  const readText = (path: string): string => {
    const text = FILES[path]
    if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    return text
  }
  const text = typeof file === 'string' ? file : JSON.stringify(file)
  return readOperatorsFile(text, { connectors: CONNECTORS, env: (name) => VARIABLES[name], readText, isProduction })
}

const MISTAKES: [about: string, file: unknown, sentence: RegExp][] = [
  ['no JSON', '{"live": ', /^It is not JSON: /],
  ['a list', [], /^The file must be an object: \{…\}\.$/],
  ['an unknown environment', { production: {} }, /^The file has production, which it does not know\.$/],
  ['no connections', { live: { routes: [] } }, /^live\.connections is missing\.$/],
  ['an empty list of connections', live([]), /^live\.connections must have at least one\.$/],
  ['connections that are not a list', live({}), /^live\.connections must be a list: \[…\]\.$/],
  ['no routes', { live: { connections: [mtn()] } }, /^live\.routes is missing\.$/],
  ['no name', live([mtn({ name: undefined })]), /^live\.connections\[0\]\.name is missing\.$/],
  [
    'a name with other characters',
    live([mtn({ name: 'MTN Bénin' })]),
    /^live\.connections\[0\]\.name must be small letters, digits and hyphens, such as mtn-benin\.$/,
  ],
  ['a name twice', live([mtn(), mtn()]), /^live\.connections\[1\]\.name is “mtn-benin”, which another connection has/],
  [
    'an unknown field',
    live([mtn({ adress: 'https://x.example' })]),
    /^live\.connections\[0\] \(mtn-benin\) has adress, which it does not know\.$/,
  ],
  [
    'an unknown connector',
    live([mtn({ connector: 'orange' })]),
    /^live\.connections\[0\]\.connector is “orange”; there are: mtn-momo, airtel-money, fedapay, pawapay\.$/,
  ],
  [
    'an address without https',
    live([mtn({ address: 'http://proxy.example' })]),
    /^live\.connections\[0\]\.address must begin with https:\/\/ unless it leads to this machine\.$/,
  ],
  [
    'an invalid address',
    live([mtn({ address: 'momo' })]),
    /^live\.connections\[0\] \(mtn-benin\)\.address must be an address that begins with https:\/\/\.$/,
  ],
  [
    'a live address on this machine',
    live([mtn({ address: 'http://127.0.0.1:4556' })]),
    /^live\.connections\[0\]\.address leads to this machine, where only a simulator can be/,
  ],
  [
    'a connector without a default address',
    live([{ ...mtn({ connector: 'airtel-money' }), options: {} }]),
    /^live\.connections\[0\]\.address is missing: airtel-money has no address of its own for live\.$/,
  ],
  [
    'limits of zero',
    live([mtn({ limits: { status: { perSecond: 0 } } })]),
    /^live\.connections\[0\] \(mtn-benin\)\.limits\.status\.perSecond must be (at least|more than) 0\.$/,
  ],
  [
    'limits that are not integers',
    live([mtn({ limits: { request: { atOnce: 1.5 } } })]),
    /^live\.connections\[0\] \(mtn-benin\)\.limits\.request\.atOnce must be a whole number\.$/,
  ],
  [
    'takes that is a text',
    live([mtn({ takes: 'yes' })]),
    /^live\.connections\[0\] \(mtn-benin\)\.takes must be true or false\.$/,
  ],
  [
    'a credential in the file itself',
    live([withOption({ apiKey: 'canary-in-file' })]),
    /^live\.connections\[0\] \(mtn-benin\)\.options\.apiKey must be \{"env": "NAME"\} or \{"file": "path"\}/,
  ],
  [
    'a credential that is missing',
    live([withOption({ apiKey: undefined })]),
    /^live\.connections\[0\] \(mtn-benin\)\.options\.apiKey is missing\.$/,
  ],
  [
    'an unset variable',
    live([withOption({ apiKey: { env: 'NOWHERE' } })]),
    /options\.apiKey names the environment variable NOWHERE, which is not set\.$/,
  ],
  [
    'an empty variable',
    live([withOption({ apiKey: { env: 'EMPTY' } })]),
    /options\.apiKey names the environment variable EMPTY, which is not set\.$/,
  ],
  [
    'a missing file',
    live([withOption({ apiKey: { file: '/nowhere' } })]),
    /options\.apiKey names the file \/nowhere, which cannot be read: ENOENT\.$/,
  ],
  [
    'an empty file',
    live([withOption({ apiKey: { file: '/run/secrets/empty' } })]),
    /options\.apiKey names the file \/run\/secrets\/empty, which is empty\.$/,
  ],
  [
    'an unknown option',
    live([withOption({ apikey: { env: 'MTN_KEY' } })]),
    /^live\.connections\[0\] \(mtn-benin\)\.options has apikey, which it does not know\.$/,
  ],
  [
    'an option of another type',
    live([withOption({ platform: 'newest' })]),
    /^live\.connections\[0\] \(mtn-benin\)\.options\.platform must be one of: old, new\.$/,
  ],
  [
    'missing certificates',
    live([mtn({ certificatesFile: '/nowhere' })]),
    /certificatesFile is \/nowhere, which cannot be read: ENOENT\.$/,
  ],
  [
    'invalid certificates',
    live([mtn({ certificatesFile: '/etc/ca.pem' })]),
    /certificatesFile is \/etc\/ca\.pem, which has no certificate in it\.$/,
  ],
  [
    'a route to an unknown connection',
    live([mtn()], [{ ...ROUTE, connection: 'mtn' }]),
    /^live\.routes\[0\]\.connection is “mtn”, and there is no connection of that name here\.$/,
  ],
  [
    'a route without an operator',
    live([mtn()], [{ connection: 'mtn-benin' }]),
    /^live\.routes\[0\] must be an operator or a method, and a connection/,
  ],
  [
    'a route for an unknown operator',
    live([mtn()], [{ ...ROUTE, operator: 'mtn' }]),
    /^live\.routes\[0\] must be an operator or a method, and a connection/,
  ],
  [
    'a route to a network that does not reach the operator',
    live([mtn()], [{ ...ROUTE, operator: 'airtel_ne' }]),
    /^live\.routes\[0\]\.operator is “airtel_ne”; mtn-momo reaches mtn_bj\.$/,
  ],
  [
    'a route to a network without such a page',
    live([mtn()], [{ method: 'bank_card', connection: 'mtn-benin' }]),
    /^live\.routes\[0\]\.method is “bank_card”; mtn-momo has none\.$/,
  ],
]

describe('operators file', () => {
  for (const [about, file, sentence] of MISTAKES) {
    it(`with ${about} is refused with one sentence that names the location`, () => {
      const result = read(file)
      assert.ok('mistakes' in result, 'it is refused')
      assert.equal(result.mistakes.length, 1, result.mistakes.join('\n'))
      assert.match(result.mistakes[0] as string, sentence)
      assert.doesNotMatch(result.mistakes.join(), /canary/)
    })
  }

  it('with several mistakes reports all of them', () => {
    const result = read(
      live([withOption({ apiKey: { env: 'NOWHERE' } }), mtn({ name: 'second', connector: 'orange' })]),
    )
    assert.ok('mistakes' in result)
    assert.equal(result.mistakes.length, 2)
  })

  it('configures connections with their secrets and the default limits', () => {
    const result = read(live([mtn()], [ROUTE]))
    assert.ok('connections' in result, JSON.stringify(result))
    const [connection] = result.connections
    const options = connection?.options
    assert.deepEqual(
      {
        environments: result.environments,
        name: connection?.name,
        address: connection?.address,
        takes: connection?.takes,
        prompts: connection?.prompts,
        limits: connection?.limits,
        apiKey: (options as { apiKey: string }).apiKey,
      },
      {
        environments: ['live'],
        name: 'mtn-benin',
        address: 'https://momoapi.momo.africa',
        takes: true,
        prompts: ['mtn_bj'],
        limits: { request: { atOnce: 40, perSecond: undefined }, status: { atOnce: 10, perSecond: 10 } },
        apiKey: 'canary-api-key',
      },
    )
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
