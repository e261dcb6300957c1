// Signatures held against what others have published: the standard's own example, and the one in
// pawaPay's documents.
import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import { readInput, signatureBase, signRequest, verifyMessage } from './http-signature.ts'

interface Changes {
  headers?: object
  body?: Buffer
  url?: URL
  now?: number
}

/** RFC 9421, B.1.2, B.2 and B.2.3. */
const STANDARD = {
  key: `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2
+QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+
oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq
gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W
Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4
aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI
2wIDAQAB
-----END PUBLIC KEY-----
`,
  url: new URL('https://example.com/foo?param=Value&Pet=dog'),
  createdAt: 1_618_884_473_000,
  message: {
    method: 'POST',
    body: Buffer.from('{"hello": "world"}'),
    headers: {
      date: 'Tue, 20 Apr 2021 02:07:55 GMT',
      'content-type': 'application/json',
      'content-digest':
        'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:',
      'content-length': '18',
      'signature-input':
        'sig-b23=("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length")' +
        ';created=1618884473;keyid="test-key-rsa-pss"',
      signature:
        'sig-b23=:bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp7' +
        '68ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7Yf' +
        'W91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSR' +
        'xpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==:',
    },
  },
}

describe('pawapay signatures: a message signed by the standard’s example', () => {
  const { key, url, createdAt, message } = STANDARD
  const verdict = (changes: Changes = {}) =>
    verifyMessage(
      {
        ...message,
        body: changes.body ?? message.body,
        headers: { ...message.headers, ...changes.headers },
      },
      [changes.url ?? url],
      (id) => (id === 'test-key-rsa-pss' ? createPublicKey(key) : undefined),
      changes.now ?? createdAt,
    )

  it('is genuine', () => assert.equal(verdict(), 'genuine'))

  it('is wrong with anything changed', () => {
    const changes = [
      { headers: { date: 'Tue, 20 Apr 2021 02:07:56 GMT' } },
      { headers: { signature: message.headers.signature.replace('bbN8', 'bbN9') } },
      { headers: { signature: message.headers.signature.replace('sig-b23', 'sig-b24') } },
      { headers: { 'content-digest': undefined } },
      {
        headers: {
          'signature-input': message.headers['signature-input'].replace(' "content-digest"', ''),
        },
      },
      {
        headers: {
          'signature-input': message.headers['signature-input'].replace('"@path"', '"@path";req'),
        },
      },
      {
        headers: {
          'signature-input': message.headers['signature-input'].replace(';created=1618884473', ''),
        },
      },
      {
        headers: {
          'signature-input': `${message.headers['signature-input']};alg="rsa-v1_5-sha256"`,
        },
      },
      { headers: { 'signature-input': `${message.headers['signature-input']};alg="ed25519"` } },
      { headers: { 'signature-input': 'garbage' } },
      { body: Buffer.from('{"hello": "World"}') },
      { url: new URL('https://example.com/bar?param=Value&Pet=dog') },
      { url: new URL('https://example.org/foo?param=Value&Pet=dog') },
      { now: createdAt - 6 * 60_000 },
      { now: createdAt + 16 * 60_000 },
    ]
    for (const change of changes) assert.equal(verdict(change), 'wrong', JSON.stringify(change))
  })

  it('has a key that is not known under another name', () => {
    const input = message.headers['signature-input'].replace('test-key', 'other-key')
    assert.equal(verdict({ headers: { 'signature-input': input } }), 'key_not_known')
  })
})

describe('pawapay signatures: the callback in pawaPay’s documents', () => {
  const input =
    'sig-pp=("@method" "@authority" "@path" "signature-date" "content-digest" "content-type");alg="ecdsa-p256-sha256"' +
    ';keyid="CUSTOMER_TEST_KEY";created=1714657551;expires=1714657611'
  const digest =
    'sha-512=:0ki7QBS/0MA424uwOq3k5HnJnL5SRkPjit12m0YMpd4JgWiMvm9+yNT3FunkpDaTSsKhTkliQwJlRw9bgsos9w==:'

  it('has the signature base that the documents show', () => {
    const parsed = readInput(input)
    const seen = [parsed?.label, parsed?.alg, parsed?.keyId, parsed?.createdAt, parsed?.expiresAt]
    assert.deepEqual(seen, [
      'sig-pp',
      'ecdsa-p256-sha256',
      'CUSTOMER_TEST_KEY',
      1_714_657_551_000,
      1_714_657_611_000,
    ])
    const headers = {
      'signature-date': '2024-05-02T16:45:51.131905Z',
      'content-digest': digest,
      'content-type': 'application/json; charset=UTF-8',
    }
    const url = new URL('http://localhost:8080/callback')
    assert.equal(
      parsed && signatureBase({ method: 'POST', url, headers, body: Buffer.alloc(0) }, parsed),
      [
        '"@method": POST',
        '"@authority": localhost:8080',
        '"@path": /callback',
        '"signature-date": 2024-05-02T16:45:51.131905Z',
        `"content-digest": ${digest}`,
        '"content-type": application/json; charset=UTF-8',
        `"@signature-params": ${input.slice('sig-pp='.length)}`,
      ].join('\n'),
    )
  })
})

describe('pawapay signatures: a request that we sign', () => {
  const pairs: Record<string, { privateKey: KeyObject; publicKey: KeyObject }> = {
    'ecdsa-p256-sha256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    'ecdsa-p384-sha384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    'rsa-pss-sha512': generateKeyPairSync('rsa', { modulusLength: 2_048 }),
    ed25519: generateKeyPairSync('ed25519'),
  }
  const url = new URL('https://api.sandbox.pawapay.io/v2/deposits')
  const message = {
    method: 'POST',
    url,
    contentType: 'application/json',
    body: '{"depositId":"…"}',
  }
  const now = 1_700_000_000_000

  for (const [alg, { privateKey, publicKey }] of Object.entries(pairs))
    for (const encoding of ['der', 'ieee-p1363'] as const)
      it(`with a key for ${alg} is genuine: ${encoding}`, () => {
        const headers = signRequest({ key: privateKey, keyId: 'K:1', encoding }, message, now)
        assert.ok(
          headers?.['signature-input']?.includes(
            `;alg="${alg}";keyid="K:1";created=1700000000;expires=1700000060`,
          ),
        )
        assert.ok(headers)
        const received = { method: 'POST', headers, body: Buffer.from(message.body) }
        const own = verifyMessage(received, [url], () => publicKey, now)
        assert.equal(own, 'genuine')
        const other = verifyMessage(received, [url], () => STANDARD_KEY, now)
        assert.equal(other, 'wrong')
      })
  const STANDARD_KEY = createPublicKey(STANDARD.key)

  it('is verified by the older algorithm of RSA where the message names it', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const headers: Record<string, string> = {
      'content-digest': `sha-256=:${hash('sha256', 'body', 'base64')}:`,
    }
    const input =
      'a=("@method" "content-digest");created=1700000000;keyid="K";alg="rsa-v1_5-sha256"'
    const parsed = readInput(input)
    const body = Buffer.from('body')
    const base = parsed && signatureBase({ method: 'POST', url, headers, body }, parsed)
    const signature = `a=:${sign('sha256', Buffer.from(base ?? ''), privateKey).toString('base64')}:`
    const received = {
      method: 'POST',
      body,
      headers: { ...headers, 'signature-input': input, signature },
    }
    const verdict = verifyMessage(received, [url], () => publicKey, now)
    assert.equal(verdict, 'genuine')
  })

  it('with a key of another kind is not signed', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
    assert.equal(
      signRequest({ key: privateKey, keyId: 'K', encoding: 'der' }, message, now),
      undefined,
    )
  })
})
