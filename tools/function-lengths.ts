// How long each function is, with the functions in it: a closure over many variables is one long
// function, however short its parts are. Classes do not count, only their methods.
import { parseSync } from 'oxc-parser'
import { isNode, type TreeNode } from './mutate/mutants.ts'

export interface FunctionLength {
  /** Of the function, else of its variable or field, or of the call that it is given to. */
  name: string
  /** Of its body, without blank lines. */
  lines: number
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']
/** What gives a function its name, and the field that holds the name. */
const NAMED_BY: Readonly<Record<string, string>> = {
  VariableDeclarator: 'id',
  Property: 'key',
  MethodDefinition: 'key',
  PropertyDefinition: 'key',
  AssignmentExpression: 'left',
  CallExpression: 'callee',
}

/** Every function of a file, in the order in which they begin. */
export function functionLengths(file: string, text: string): FunctionLength[] {
  const { program, errors } = parseSync(file, text)
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`)
  const found: FunctionLength[] = []
  const linesOf = ({ start, end }: TreeNode): number =>
    text
      .slice(start, end)
      .split('\n')
      .filter((line) => line.trim() !== '').length
  const nameOf = (node: unknown): string | undefined =>
    isNode(node) ? text.slice(node.start, node.end) : undefined
  function visit(node: TreeNode, holder: string): void {
    const own = nameOf(node.id) ?? holder
    const { body } = node
    if (FUNCTIONS.includes(node.type) && isNode(body))
      found.push({ name: own, lines: linesOf(body) })
    const inner = nameOf(node[NAMED_BY[node.type] ?? '']) ?? own
    for (const field of Object.values(node).flat()) if (isNode(field)) visit(field, inner)
  }
  visit(program as unknown as TreeNode, file)
  return found
}
