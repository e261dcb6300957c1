// What we sign is verified by the library that receivers use, which shares no line with ours. Its clock is the real one, so the
// timestamps are those of now.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { makeSigningSecret, signatureHeaders } from '../../src/webhooks/sign.ts'
import { tried, tries } from '../kit/tries.ts'

const SEED = 20_261_115
/** Ten times as often in the long form. */
const run = (quick: number): fc.Parameters<unknown> => {
  const numRuns = tries(quick, 10 * quick)
  tried(numRuns)
  return { seed: SEED, numRuns, endOnFailure: true }
}
const now = (): number => Math.floor(Date.now() / 1_000)

type Headers = Record<string, string>

function verifies(secret: string, body: Buffer, headers: Headers): boolean {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false })
    return true
  } catch {
    return false
  }
}

/** One bit of a text or of bytes, turned. */
function turn(bytes: Uint8Array, bit: number): Buffer {
  const turned = Buffer.from(bytes)
  const at = bit % (bytes.length * 8)
  turned[at >> 3] = (turned[at >> 3] as number) ^ (1 << (at & 7))
  return turned
}
const turnText = (text: string, bit: number): string => turn(Buffer.from(text), bit).toString('latin1')

const anyId = fc.stringMatching(/^evt_[0-9a-z]{24}$/)
const anySecret = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(makeSigningSecret)
const anyBody = fc
  .record({ event: fc.string({ unit: 'grapheme' }), data: fc.jsonValue({ maxDepth: 2 }) })
  .map((body) => JSON.stringify(body))

describe('promise 14: a signature', () => {
  it('is verified by the receivers’ library, with each of the secrets that signed', () => {
    fc.assert(
      fc.property(anyId, anyBody, fc.array(anySecret, { minLength: 1, maxLength: 3 }), (id, body, secrets) => {
        const headers = signatureHeaders({ id, timestampSeconds: now(), body, secrets })
        for (const secret of secrets) assert.ok(verifies(secret, Buffer.from(body), headers))
        assert.equal(headers['webhook-signature']?.split(' ').length, secrets.length)
      }),
      run(300),
    )
  })

  it('is not verified once a bit of the body, the id, the timestamp or the signature has changed', () => {
    fc.assert(
      fc.property(anyId, anyBody, anySecret, fc.nat(), (id, body, secret, bit) => {
        const headers = signatureHeaders({ id, timestampSeconds: now(), body, secrets: [secret] })
        assert.ok(verifies(secret, Buffer.from(body), headers))
        assert.ok(!verifies(secret, turn(Buffer.from(body), bit), headers), 'body')
        for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
          const changed = { ...headers, [name]: turnText(headers[name] as string, bit) }
          assert.ok(!verifies(secret, Buffer.from(body), changed), `${name}: ${changed[name]}`)
        }
      }),
      run(500),
    )
  })

  it('is not verified by another secret', () => {
    fc.assert(
      fc.property(anyId, anyBody, anySecret, anySecret, (id, body, secret, other) => {
        const headers = signatureHeaders({ id, timestampSeconds: now(), body, secrets: [secret] })
        assert.equal(verifies(other, Buffer.from(body), headers), other === secret)
      }),
      run(100),
    )
  })

  it('is the one that the specification shows', () => {
    const headers = signatureHeaders({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1_614_265_330,
      body: '{"test": 2432232314}',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    })
    assert.deepEqual(headers, {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('of two secrets is first the one’s and then the other’s, with a space between', () => {
    const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const { 'webhook-signature': both } = signatureHeaders({
      id: 'evt_1',
      timestampSeconds: 7,
      body: '{}',
      secrets: keys.map(makeSigningSecret),
    })
    const each = keys.map((key) => `v1,${createHmac('sha256', key).update('evt_1.7.{}').digest('base64')}`)
    assert.equal(both, each.join(' '))
  })
})

describe('a signing secret', () => {
  it('is whsec_ and the base64 of its bytes', () => {
    assert.match(makeSigningSecret(new Uint8Array(32).fill(255)), /^whsec_\/{42}8=$/)
  })

  for (const length of [0, 23, 65]) {
    it(`of ${length} bytes is not made, and signs nothing`, () => {
      assert.throws(() => makeSigningSecret(new Uint8Array(length)), RangeError)
      const secrets = [`whsec_${Buffer.alloc(length).toString('base64')}`]
      assert.throws(() => signatureHeaders({ id: 'evt_1', timestampSeconds: 7, body: '{}', secrets }), RangeError)
    })
  }

  it('without its prefix signs nothing', () => {
    const secrets = [Buffer.alloc(32).toString('base64')]
    assert.throws(() => signatureHeaders({ id: 'evt_1', timestampSeconds: 7, body: '{}', secrets }), /whsec_/)
  })
})
