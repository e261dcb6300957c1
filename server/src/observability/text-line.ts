// A log line as a person reads it in a terminal: time (UTC), level, message, fields, and the stack of an error. Made
// from the JSON line, so that both formats show the same fields and hide the same secrets.
import { styleText } from 'node:util'

const LEVELS = new Map<unknown, [name: string, style: 'dim' | 'green' | 'yellow' | 'red']>([
  [20, ['DEBUG', 'dim']],
  [30, ['INFO', 'green']],
  [40, ['WARN', 'yellow']],
  [50, ['ERROR', 'red']],
  [60, ['FATAL', 'red']],
])

type Fields = Record<string, unknown>

export function textLine(line: string, isColoured: boolean): string {
  const { level, time, msg, err, method, route, status, ms, ...fields } = JSON.parse(line) as Fields
  const paint = (style: 'dim' | 'green' | 'yellow' | 'red', text: string): string =>
    isColoured ? styleText(style, text, { validateStream: false }) : text
  const [name, style] = LEVELS.get(level) ?? [String(level), 'dim']
  const message = route === undefined ? plain(msg ?? '') : plain(`${method} ${route} ${status} ${ms} ms`)
  const rest = Object.entries(fields).map(([field, value]) => paint('dim', `${plain(field)}=`) + shown(value))
  const head = [paint('dim', new Date(Number(time)).toISOString().slice(11)), paint(style, name.padEnd(5)), message]
  return `${[...head, ...rest].join(' ')}\n${stackOf(err)}`
}

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { type, message, code, stack, cause } = error as Fields
  const own = typeof stack === 'string' ? stack : `${type}: ${message}`
  const lines = own.split('\n').map((line) => `    ${plain(line.trim())}\n`)
  if (code !== undefined) lines.splice(1, 0, `    code=${shown(code)}\n`)
  return lines.join('') + stackOf(cause).replace(/^ {4}/, '    caused by ')
}

/** Quoted where its end would be unclear. */
function shown(value: unknown): string {
  const isWord = typeof value === 'string' && /^[^\s"=]+$/.test(value)
  return plain(isWord ? value : JSON.stringify(value))
}

/** Without characters that command a terminal or turn the direction of text: others may have written a value. */
const plain = (value: unknown): string =>
  String(value).replace(
    /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
