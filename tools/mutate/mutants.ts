// Every change that the mutation tester makes to one source file. The text is JavaScript: Node has
// replaced the types by spaces, so positions are those of the TypeScript file, and type-only code
// has no mutants.
import { parseSync } from 'oxc-parser'

export interface Mutant {
  /** The path from the root of the repository. */
  file: string
  line: number
  start: number
  end: number
  /** What stands there, and what the mutant has instead. */
  original: string
  replacement: string
  operator: string
}

/** A node of ESTree; which fields it has depends on its type. */
export interface TreeNode {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

/** A mutant of one node: the replaced part is the node, or what `start` and `end` say. */
interface Change {
  operator: string
  replacement: string
  start?: number
  end?: number
}

type Mutator = (node: TreeNode, text: string) => readonly Change[]

const OPPOSITES: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
  '&': ['|'],
  '|': ['&'],
  '^': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '>>>': ['<<'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
}

const OPPOSITE_ASSIGNMENTS: Readonly<Record<string, string>> = {
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
  '%=': '*=',
  '&=': '|=',
  '|=': '&=',
  '^=': '&=',
  '<<=': '>>=',
  '>>=': '<<=',
  '>>>=': '<<=',
  '??=': '=',
  '||=': '=',
  '&&=': '=',
}

/** A method's opposite; undefined: the call becomes the object that it is made on. */
const OPPOSITE_METHODS = new Map<string, string | undefined>([
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['toUpperCase', 'toLowerCase'],
  ['toLowerCase', 'toUpperCase'],
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['padStart', 'padEnd'],
  ['padEnd', 'padStart'],
  ['trim', undefined],
  ['trimStart', undefined],
  ['trimEnd', undefined],
  ['sort', undefined],
  ['toSorted', undefined],
  ['reverse', undefined],
  ['toReversed', undefined],
  ['filter', undefined],
  ['slice', undefined],
])

export const isNode = (value: unknown): value is TreeNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

const childOf = (node: TreeNode, field: string): TreeNode => node[field] as TreeNode

const isText = (node: TreeNode): boolean =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')

/** Whether a sum with this operand joins texts. */
const joinsText = (node: TreeNode): boolean =>
  isText(node) ||
  (node.type === 'BinaryExpression' &&
    (joinsText(childOf(node, 'left')) || joinsText(childOf(node, 'right'))))

/** A binary or logical expression, or an assignment, with other operators between its operands. */
function withOperators(
  node: TreeNode,
  text: string,
  [operator, replacements]: readonly [operator: string, replacements: readonly string[]],
): Change[] {
  const start = text.indexOf(
    node.operator as string,
    afterParentheses(text, childOf(node, 'left').end),
  )
  const end = start + (node.operator as string).length
  return replacements.map((replacement) => ({ operator, replacement, start, end }))
}

/** The left operand may stand in parentheses, which the tree does not show. */
function afterParentheses(text: string, end: number): number {
  const [closing = ''] = /^[\s)]*/.exec(text.slice(end)) ?? []
  return end + closing.length
}

const both = (node: TreeNode, field: string): Change[] =>
  ['true', 'false'].map((replacement) => ({
    operator: 'condition',
    replacement,
    start: childOf(node, field).start,
    end: childOf(node, field).end,
  }))

const never = (node: TreeNode): Change[] =>
  isNode(node.test)
    ? [{ operator: 'condition', replacement: 'false', start: node.test.start, end: node.test.end }]
    : []

function ofNumber(value: number | bigint, raw: string): Change[] {
  const isOne = value === 1 || value === 1n
  const suffix = raw.endsWith('n') ? 'n' : ''
  const replacement = isOne ? `0${suffix}` : `(${raw} + 1${suffix})`
  return [{ operator: 'number', replacement }]
}

function ofRegularExpression(raw: string): Change[] {
  const body = raw.slice(1, raw.lastIndexOf('/'))
  const flags = raw.slice(raw.lastIndexOf('/'))
  const bodies = [
    body.replace(/^\^/, ''),
    body.replace(/(?<!\\)\$$/, ''),
    body.replace(/(?<=[\]\w)])\+(?!\?)/, '*'),
    body.replace(/\\d/, '\\D'),
    body.replace(/(?<!\\)\[(?!\^)/, '[^'),
  ]
  return bodies
    .filter((changed) => changed !== body && changed !== '')
    .map((changed) => ({ operator: 'pattern', replacement: `/${changed}${flags}` }))
}

function ofLiteral(node: TreeNode): Change[] {
  const { value, raw } = node as { value?: unknown; raw?: string }
  if (node.regex !== undefined) return ofRegularExpression(raw ?? '')
  if (typeof value === 'boolean') return [{ operator: 'boolean', replacement: String(!value) }]
  if (typeof value === 'number' || typeof value === 'bigint') return ofNumber(value, raw ?? '')
  if (typeof value !== 'string') return []
  return [{ operator: 'text', replacement: value === '' ? "'mutated'" : "''" }]
}

function ofCall(node: TreeNode): Change[] {
  const callee = childOf(node, 'callee')
  const property = callee.property
  if (callee.type !== 'MemberExpression' || !isNode(property)) return []
  const name = property.name as string
  if (callee.computed === true || !OPPOSITE_METHODS.has(name)) return []
  const opposite = OPPOSITE_METHODS.get(name)
  if (opposite === undefined) {
    const start = childOf(callee, 'object').end
    return [{ operator: 'method', replacement: '', start, end: node.end }]
  }
  return [{ operator: 'method', replacement: opposite, start: property.start, end: property.end }]
}

const isEmpty = (node: TreeNode, field: string): boolean =>
  (node[field] as readonly unknown[]).length === 0

const MUTATORS: Readonly<Record<string, Mutator>> = {
  IfStatement: (node) => both(node, 'test'),
  ConditionalExpression: (node) => both(node, 'test'),
  WhileStatement: never,
  DoWhileStatement: never,
  ForStatement: never,
  BinaryExpression: (node, text) => {
    if (node.operator === '+' && joinsText(node)) return []
    return withOperators(node, text, ['operator', OPPOSITES[node.operator as string] ?? []])
  },
  LogicalExpression: (node, text) =>
    withOperators(node, text, ['logic', OPPOSITES[node.operator as string] ?? []]),
  AssignmentExpression: (node, text) => {
    const opposite = OPPOSITE_ASSIGNMENTS[node.operator as string]
    return opposite === undefined ? [] : withOperators(node, text, ['assignment', [opposite]])
  },
  UnaryExpression: (node) =>
    ['!', '-', '~'].includes(node.operator as string)
      ? [
          {
            operator: 'negation',
            replacement: '',
            start: node.start,
            end: childOf(node, 'argument').start,
          },
        ]
      : [],
  UpdateExpression: (node, text) => {
    const { operator, prefix } = node as unknown as { operator: string; prefix: boolean }
    const start = prefix ? node.start : text.lastIndexOf(operator, node.end)
    const replacement = operator === '++' ? '--' : '++'
    return [{ operator: 'operator', replacement, start, end: start + 2 }]
  },
  Literal: ofLiteral,
  TemplateLiteral: () => [{ operator: 'text', replacement: '``' }],
  ArrayExpression: (node) =>
    isEmpty(node, 'elements') ? [] : [{ operator: 'array', replacement: '[]' }],
  ObjectExpression: (node) =>
    isEmpty(node, 'properties') ? [] : [{ operator: 'object', replacement: '({})' }],
  BlockStatement: (node) =>
    isEmpty(node, 'body') ? [] : [{ operator: 'block', replacement: '{}' }],
  ExpressionStatement: (node) =>
    ['CallExpression', 'AwaitExpression', 'AssignmentExpression'].includes(
      childOf(node, 'expression').type,
    )
      ? [{ operator: 'statement', replacement: ';' }]
      : [],
  ReturnStatement: ({ argument }) =>
    isNode(argument) && argument.name !== 'undefined'
      ? [{ operator: 'return', replacement: 'void 0', start: argument.start, end: argument.end }]
      : [],
  ArrowFunctionExpression: (node) => {
    const { type, start, end, name } = childOf(node, 'body')
    if (type === 'BlockStatement' || name === 'undefined') return []
    return [{ operator: 'return', replacement: 'void 0', start, end }]
  },
  SwitchCase: (node) => {
    const [first] = node.consequent as TreeNode[]
    if (first === undefined) return []
    return [{ operator: 'case', replacement: '', start: first.start, end: node.end }]
  },
  MemberExpression: (node, text) => {
    if (node.optional !== true) return []
    const start = text.indexOf('?.', childOf(node, 'object').end)
    const replacement = node.computed === true ? '' : '.'
    return [{ operator: 'optional', replacement, start, end: start + 2 }]
  },
  CallExpression: ofCall,
}

/** The texts of errors are for the log: a throw is a bug or an outage. */
const isError = (node: TreeNode): boolean =>
  (node.type === 'NewExpression' && /Error$/.test(String(childOf(node, 'callee').name))) ||
  node.type === 'ThrowStatement'

/** What the fields of a node hold that is no expression of its own. */
function isName(parent: TreeNode, field: string): boolean {
  if (parent.type.startsWith('Import') || parent.type.startsWith('Export'))
    return field !== 'declaration' && field !== 'expression'
  const isKey = field === 'key' && parent.computed !== true
  const isQuasi = field === 'quasis'
  return isKey || isQuasi
}

export function mutantsOf(file: string, text: string): Mutant[] {
  const { program, errors } = parseSync(`${file}.mjs`, text, { lang: 'js', sourceType: 'module' })
  const [error] = errors
  if (error !== undefined) throw new Error(`${file}: ${error.message}`)
  const found: Mutant[] = []
  const lineStarts = lineStartsOf(text)
  walk(program as unknown as TreeNode, (node, parent) => {
    for (const change of MUTATORS[node.type]?.(node, text) ?? []) {
      const { operator, replacement, start = node.start, end = node.end } = change
      const original = text.slice(start, end)
      if (original === replacement || isDirective(node, parent, operator)) continue
      const line = lineStarts.findLastIndex((lineStart) => lineStart <= start) + 1
      found.push({ file, line, start, end, original, replacement, operator })
    }
  })
  return found.sort((one, other) => one.start - other.start || one.end - other.end)
}

/** A text as a statement of its own is a directive. */
const isDirective = (node: TreeNode, parent: TreeNode, operator: string): boolean =>
  operator === 'text' && node.type === 'Literal' && parent.type === 'ExpressionStatement'

function walk(node: TreeNode, visit: (node: TreeNode, parent: TreeNode) => void): void {
  for (const [field, value] of Object.entries(node)) {
    if (isName(node, field)) continue
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child) || isError(child)) continue
      visit(child, node)
      walk(child, visit)
    }
  }
}

function lineStartsOf(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
}

/** The counter's name in a module whose loops call it. */
export const ROUND = '__karbaRound'

/**
 * The same module, whose loops call a counter in each round. It throws after too many: a mutant
 * with an endless loop ends without a wait, whatever the load of the machine.
 */
export function withCountedLoops(file: string, text: string): string | undefined {
  const { program, errors } = parseSync(`${file}.mjs`, text, { lang: 'js', sourceType: 'module' })
  if (errors.length > 0) return undefined
  const inserted: [position: number, text: string][] = []
  walk(program as unknown as TreeNode, (node) => {
    if (!/^(?:For|While|DoWhile)\w*Statement$/.test(node.type)) return
    const { type, start, end } = childOf(node, 'body')
    const position = type === 'BlockStatement' ? start + 1 : start
    inserted.push([position, type === 'BlockStatement' ? `${ROUND}();` : `{${ROUND}();`])
    if (type !== 'BlockStatement') inserted.push([end, '}'])
  })
  let counted = text
  for (const [position, part] of inserted.sort(([one], [other]) => other - one))
    counted = `${counted.slice(0, position)}${part}${counted.slice(position)}`
  return counted
}
