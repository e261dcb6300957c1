// Which actions there are, read from the source: every exported function in src/actions whose second parameter is a caller. A test that
// must have each of them in its table finds the ones that are missing here.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ACTIONS = fileURLToPath(new URL('../../src/actions/', import.meta.url))

const EXPORTED = /export (?:async )?function (\w+)(?:<[^(]*>)?\(|export const (\w+) = (?:async )?(?:<[^(]*>)?\(/g

/** The types of domain/caller.ts, at the end of a parameter. */
const IS_CALLER = /:\s*(?:\w*Caller|MerchantKey|MerchantPerson|ServicePerson|Person|Visitor|ServiceItself|Shell|Payer)$/

export const actionsInSource = (): string[] =>
  globSync('**/*.ts', { cwd: ACTIONS, exclude: (name) => name.endsWith('.test.ts') })
    .flatMap((file) => actionsIn(readFileSync(`${ACTIONS}${file}`, 'utf8')))
    .sort()

export function actionsIn(source: string): string[] {
  // An arrow would look like the end of a type argument.
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').replaceAll('=>', '')
  return [...code.matchAll(EXPORTED)].flatMap((match) => {
    const [, second] = parametersOf(code.slice(match.index + match[0].length))
    return second !== undefined && IS_CALLER.test(second) ? [(match[1] ?? match[2]) as string] : []
  })
}

/** What stands between the commas, up to the parenthesis that ends the list. */
function parametersOf(code: string): string[] {
  const parameters = ['']
  let depth = 0
  for (const character of code) {
    if (character === ')' && depth === 0) break
    if ('({[<'.includes(character)) depth++
    if (')}]>'.includes(character)) depth--
    if (character === ',' && depth === 0) parameters.push('')
    else parameters[parameters.length - 1] += character
  }
  return parameters.map((parameter) => parameter.trim())
}
