// Which requests are plain, and that Node reads each of them as the same request.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, it } from 'node:test'
import { type SeededRandom, seededRandom } from '../../test/kit/seeded-random.ts'
import { plainRequestIn } from './plain-request.ts'

const HEAD_LIMIT = 1_024
const GET = 'GET /payments/a1?wait=5 HTTP/1.1\r\nHost: karba\r\nAuthorization: Bearer sk_1\r\n\r\n'
const POST = 'POST /payments HTTP/1.1\r\nHost: karba\r\nContent-Length: 10\r\n\r\n{"a":"é"}'
const read = (text: string) => plainRequestIn(Buffer.from(text), HEAD_LIMIT, undefined)
const withHeader = (line: string): string => GET.replace('\r\n\r\n', `\r\n${line}\r\n\r\n`)

describe('a plain request', () => {
  it('is a GET with its headers, by their names in small letters', () => {
    assert.deepEqual(read(GET)?.head.headers, { host: 'karba', authorization: 'Bearer sk_1' })
    assert.equal(read(GET)?.url, '/payments/a1?wait=5')
  })

  it('is a POST with the whole of its body', () => {
    assert.equal(String(read(POST)?.body), '{"a":"é"}')
  })

  it('may say that its connection stays', () => {
    assert.ok(read(withHeader('Connection: Keep-Alive')))
  })

  it('has headers that are not read again when they are those of the request before', () => {
    const first = read(GET)
    const other = Buffer.from(GET.replace('a1', 'b2'))
    assert.equal(plainRequestIn(other, HEAD_LIMIT, first?.head)?.head, first?.head)
    assert.notEqual(plainRequestIn(Buffer.from(withHeader('x: 1')), HEAD_LIMIT, first?.head)?.head, first?.head)
  })
})

const NOT_PLAIN: Record<string, string> = {
  nothing: '',
  'an empty line': '\r\n',
  'a head without an end': GET.slice(0, -2),
  'a head without headers': 'GET / HTTP/1.1\r\n\r\n',
  'another method': GET.replace('GET', 'DELETE'),
  'a method in small letters': GET.replace('GET', 'get'),
  'another version': GET.replace('1.1', '1.0'),
  'two spaces before the path': GET.replace('GET ', 'GET  '),
  'an absolute address': GET.replace('/payments', 'http://karba/payments'),
  'a percent sign in the path': GET.replace('a1', '%61'),
  'a fragment': GET.replace('?wait=5', '#a'),
  'a letter beyond ASCII in the path': GET.replace('a1', 'é'),
  'line ends without a return': GET.replaceAll('\r\n', '\n'),
  'one line end without a return': GET.replace('karba\r\n', 'karba\n'),
  'a return within a value': withHeader('x: a\rb'),
  'a header that goes on in the next line': withHeader('x: a\r\n b'),
  'a space before the colon': withHeader('x : a'),
  'no space after the colon': withHeader('x:a'),
  'a line without a colon': withHeader('x'),
  'a header without a name': withHeader(': a'),
  'a name with an underscore': withHeader('__proto__: a'),
  'a value with a tab': withHeader('x: a\tb'),
  'a value with a zero byte': withHeader('x: a\0'),
  'a value beyond ASCII': withHeader('x: é'),
  'no host': GET.replace('Host', 'Hosts'),
  'two hosts': withHeader('HOST: karba'),
  'two keys': withHeader('authorization: Bearer sk_2'),
  'the name of what every object has': withHeader('constructor: a'),
  'a connection that ends': withHeader('connection: close'),
  'a connection that becomes another': withHeader('connection: keep-alive, upgrade'),
  'a wish about the connection to a proxy': withHeader('proxy-connection: close'),
  'an upgrade': withHeader('upgrade: h2c'),
  'an expectation': withHeader('expect: 100-continue'),
  'a body in chunks': withHeader('transfer-encoding: chunked'),
  'a body in chunks, with a length': POST.replace('Host: karba', 'Host: karba\r\nTransfer-Encoding: chunked'),
  trailers: withHeader('trailer: x'),
  'a GET with a length': withHeader('content-length: 0'),
  'a POST without a length': POST.replace('Content-Length', 'Length'),
  'two lengths': POST.replace('Host: karba', 'Host: karba\r\nContent-Length: 10'),
  'a length that is no number': POST.replace('10', '1e1'),
  'a length with a sign': POST.replace('10', '+10'),
  'a length below zero': POST.replace('10', '-1'),
  'a body that is not whole': POST.slice(0, -1),
  'a body and more': `${POST} `,
  'two requests': GET + GET,
  'a head that is too long': withHeader(`x: ${'a'.repeat(HEAD_LIMIT)}`),
  'too many headers': withHeader(Array.from({ length: 100 }, (_, at) => `x${at}: a`).join('\r\n')),
}

describe('not plain, and left to Node, is', () => {
  for (const [what, text] of Object.entries(NOT_PLAIN)) {
    it(what, () => {
      // A limit that none of them is refused for, but the one that is about it.
      const limit = what === 'a head that is too long' ? HEAD_LIMIT : 16 * HEAD_LIMIT
      assert.equal(plainRequestIn(Buffer.from(text), limit, undefined), undefined)
    })
  }
})

describe('what is plain', () => {
  const TRIES = 40_000
  const PIECES = [
    ...[
      '\r\n',
      '\n',
      '\r',
      ' ',
      '\t',
      ':',
      ': ',
      '\0',
      'é',
      '%',
      '?',
      '#',
      '/',
      '//',
      '0',
      '10',
      'x: y\r\n',
      '\r\n\r\n',
    ],
    ...[
      'Host: b\r\n',
      'content-length: 10\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Connection: close\r\n',
      'GET',
      'HTTP/1.1',
    ],
  ]

  /** One to three changes of a good request: something is put in, taken out, doubled, or in another place. */
  function changed(random: SeededRandom): string {
    let text = random.pick([GET, POST])
    for (let change = random.between(1, 3); change > 0; change--) {
      const at = random.below(text.length + 1)
      const end = Math.min(text.length, at + random.between(0, 4))
      const from = random.below(text.length)
      const piece = random.pick([random.pick(PIECES), text.slice(at, end).repeat(2), text.slice(from, from + 8), ''])
      text = text.slice(0, at) + piece + text.slice(end)
    }
    return text
  }

  it(`is the same request for Node, in each of ${TRIES} that were changed at random`, async (t) => {
    const random = seededRandom(20_261_116)
    const seen: { method: string; url: string; headers: IncomingHttpHeaders; body: string | undefined }[] = []
    let sawNext = (): void => {}
    const server = createServer(async (request, response) => {
      const { method = '', url = '', headers } = request
      const entry = { method, url, headers, body: undefined as string | undefined }
      seen.push(entry)
      entry.body = Buffer.concat(await request.toArray()).toString()
      response.end()
      if (seen.at(-1)?.url === '/next' && seen.every(({ body }) => body !== undefined)) sawNext()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume()
    const refused = once(socket, 'close')
    t.after(() => {
      socket.destroy()
      server.close()
    })

    let plain = 0
    for (let nth = 0; nth < TRIES; nth++) {
      const piece = Buffer.from(changed(random))
      const ours = plainRequestIn(piece, HEAD_LIMIT, undefined)
      if (ours === undefined) continue
      plain++
      seen.length = 0
      const next = new Promise<void>((resolve) => {
        sawNext = resolve
      })
      // A second one shows that Node, too, saw the first one end where we did.
      socket.write(Buffer.concat([piece, Buffer.from('GET /next HTTP/1.1\r\nhost: next\r\n\r\n')]))
      await Promise.race([next, refused])
      const told = JSON.stringify(String(piece))
      assert.equal(socket.closed, false, `Node refuses ${told}`)
      const { method, url, head, body } = ours
      assert.deepEqual(seen[0], { method, url, headers: head.headers, body: body.toString() })
      assert.equal(seen.length, 2, told)
    }
    t.diagnostic(`${plain} of them were plain`)
    assert.ok(plain > TRIES / 20)
  })
})
