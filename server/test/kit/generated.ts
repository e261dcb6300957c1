// The parts of generated requests, from one seed, and the shape that every answer to one must have.
import assert from 'node:assert/strict'
import fc from 'fast-check'

export const SEED = 20_261_115

/** Of all code points. The library's own unit for them costs a second of CPU in every process. */
const anyCharacter = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point))
/** Any UTF-16, including lone surrogates and control characters; most of it short. */
export const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.array(fc.nat(0xffff), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  fc.string({
    unit: fc.constantFrom('%', '2', 'F', '/', '.', '?', '#', '\\', 'é', ' '),
    maxLength: 12,
  }),
)
/** Texts that break headers, forms, addresses and stores, more often than a uniform draw would. */
export const unkindText = fc.string({
  unit: fc.constantFrom('%', '0', 'd', 'a', '\r', '\n', '&', '=', '+', '<', '"', '\u0000', 'é'),
  maxLength: 20,
})
const anyNumber = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(24, 25, 49, 50, 999_999_999, 1_000_000_000, 2 ** 53 + 1, -0),
)
export const anyJson = fc.oneof(
  anyText,
  anyNumber,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ stringUnit: 'grapheme' }),
)
/** A valid order in which some fields are random, and some are missing. */
export const mutated = (names: string[], valid: () => object): fc.Arbitrary<string> =>
  fc
    .record({
      values: fc.dictionary(fc.constantFrom(...names), anyJson, { maxKeys: 3 }),
      gone: fc.subarray(names, { maxLength: 2 }),
      drop: fc.nat(3),
    })
    .map(({ values, gone, drop }) => {
      const whole = Object.entries({ ...valid(), ...values })
      return JSON.stringify(
        Object.fromEntries(whole.filter(([name]) => drop > 0 || !gone.includes(name))),
      )
    })
/** spec §7: a message, sometimes a status, and no more. */
export function assertOurs(code: number, answer: string, possible: readonly number[]): void {
  assert.ok(possible.includes(code), `${code} ${answer}`)
  const body = JSON.parse(answer) as Record<string, unknown>
  if (code === 200) return
  assert.equal(typeof body.message, 'string', answer)
  assert.deepEqual(
    Object.keys(body).filter((name) => name !== 'message' && name !== 'status'),
    [],
  )
  assert.equal('status' in body ? body.status : 'failed', 'failed')
}

// Names that every JavaScript object inherits, put into every place of a message: a look-up table
// that is an object would find them.

export const INHERITED_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
] as const

/** The text once for each of its words, with the name in that word's place. */
export function* namesInText(text: string, name: string): Generator<string> {
  for (const { 0: word, index } of text.matchAll(/[\w-]{2,}/g))
    yield text.slice(0, index) + name + text.slice(index + word.length)
}

/**
 * The value once for each text, number and field in it, with the name in that place; each field is
 * also renamed.
 */
export function* namesInJson(value: unknown, name: string): Generator<unknown> {
  yield name
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries())
      for (const changed of namesInJson(each, name)) yield value.with(at, changed)
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    for (const [at, [field, each]] of entries.entries()) {
      yield Object.fromEntries(entries.with(at, [name, each]))
      for (const changed of namesInJson(each, name))
        yield Object.fromEntries(entries.with(at, [field, changed]))
    }
  }
}

interface Message {
  path: string
  headers: Readonly<Record<string, string | undefined>>
  body: string
}

/**
 * The message once for each place: a word of its path, of a header, or of its body, and a header of
 * that name.
 */
export function* namesInMessage<Sent extends Message>(sent: Sent, name: string): Generator<Sent> {
  for (const path of namesInText(sent.path, name)) yield { ...sent, path }
  for (const [header, value = ''] of Object.entries(sent.headers))
    for (const changed of namesInText(value, name))
      yield { ...sent, headers: { ...sent.headers, [header]: changed } }
  // Node's own header reader makes `__proto__` a header like others, so a sender may use it.
  yield { ...sent, headers: Object.fromEntries([...Object.entries(sent.headers), [name, name]]) }
  for (const body of isJson(sent.body) ? namesInJson(JSON.parse(sent.body), name) : []) {
    yield { ...sent, body: JSON.stringify(body) }
  }
  if (!isJson(sent.body)) for (const body of namesInText(sent.body, name)) yield { ...sent, body }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
