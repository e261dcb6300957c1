// Names that every JavaScript object inherits, put into every place of a message: a look-up table that is an object
// would find them.

export const INHERITED_NAMES = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty'] as const

/** The text once for each of its words, with the name in that word's place. */
export function* namesInText(text: string, name: string): Generator<string> {
  for (const { 0: word, index } of text.matchAll(/[\w-]{2,}/g))
    yield text.slice(0, index) + name + text.slice(index + word.length)
}

/** The value once for each text, number and field in it, with the name in that place; each field is also renamed. */
export function* namesInJson(value: unknown, name: string): Generator<unknown> {
  yield name
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries())
      for (const changed of namesInJson(each, name)) yield value.with(at, changed)
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    for (const [at, [field, each]] of entries.entries()) {
      yield Object.fromEntries(entries.with(at, [name, each]))
      for (const changed of namesInJson(each, name)) yield Object.fromEntries(entries.with(at, [field, changed]))
    }
  }
}

interface Message {
  path: string
  headers: Readonly<Record<string, string | undefined>>
  body: string
}

/** The message once for each place: a word of its path, of a header, or of its body, and a header of that name. */
export function* namesInMessage<Sent extends Message>(sent: Sent, name: string): Generator<Sent> {
  for (const path of namesInText(sent.path, name)) yield { ...sent, path }
  for (const [header, value = ''] of Object.entries(sent.headers))
    for (const changed of namesInText(value, name)) yield { ...sent, headers: { ...sent.headers, [header]: changed } }
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
