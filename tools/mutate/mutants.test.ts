// The mutants of a source: one row for each operator, and what has none.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { mutantsOf, ROUND, withCountedLoops } from './mutants.ts'

const ROWS: [source: string, mutants: string[]][] = [
  ['f(a < b)', ['f(a <= b)', 'f(a >= b)', ';']],
  ['x = a === b', ['x = a !== b', ';']],
  ['x = (a) && b', ['x = (a) || b', ';']],
  ['x = a ?? b', ['x = a && b', ';']],
  ['x = a + b', ['x = a - b', ';']],
  ["x = a + ' '", ["x = a + ''", ';']],
  ['x += y', ['x -= y', ';']],
  ['let x = !a', ['let x = a']],
  ['let x = -a', ['let x = a']],
  ['x++', ['x--']],
  ['--x', ['++x']],
  ['let x = true', ['let x = false']],
  ['let x = 5', ['let x = (5 + 1)']],
  ['let x = 1n', ['let x = 0n']],
  ["let x = 'a'", ["let x = ''"]],
  ["let x = ''", ["let x = 'mutated'"]],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source
  ['let x = `a${b}`', ['let x = ``']],
  ['let x = /^a/', ['let x = /a/']],
  ['let x = [a]', ['let x = []']],
  ['let x = { a }', ['let x = ({})']],
  ['let x = a?.b', ['let x = a.b']],
  ['let x = a.trim()', ['let x = a']],
  ['let x = a.some(b)', ['let x = a.every(b)']],
  ['if (a) b()', ['if (true) b()', 'if (false) b()', 'if (a) ;']],
  ['let x = a ? b : c', ['let x = true ? b : c', 'let x = false ? b : c']],
  ['while (a) b()', ['while (false) b()', 'while (a) ;']],
  ['function f() { return a }', ['function f() {}', 'function f() { return void 0 }']],
  ['let f = () => a', ['let f = () => void 0']],
  ['switch (a) { case b: c() }', ['switch (a) { case b:  }', 'switch (a) { case b: ; }']],
]

for (const [source, mutants] of ROWS)
  it(`mutants: ${source}`, () => {
    const changed = mutantsOf('file.ts', source).map(
      ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
    )
    assert.deepEqual(changed.toSorted(), mutants.toSorted())
  })

it('mutants: imports, names of fields, texts of errors and `undefined` have none', () => {
  for (const source of [
    "import { a } from 'b'",
    "export { a } from 'b'",
    "class A { 'b' }",
    "throw new Error('a')",
    'let f = () => undefined',
    'let x = [], y = {}',
  ])
    assert.deepEqual(mutantsOf('file.ts', source), [], source)
})

it('mutants: a mutant names its line', () =>
  assert.deepEqual(
    mutantsOf('file.ts', 'let x\n\nlet y = true').map(({ line, original }) => [line, original]),
    [[3, 'true']],
  ))

it('mutants: every loop calls the counter, and a text that cannot be read has no mutant', () => {
  assert.equal(
    withCountedLoops('file.ts', 'for (;;) { a() } while (b) c()'),
    `for (;;) {${ROUND}(); a() } while (b) {${ROUND}();c()}`,
  )
  assert.equal(withCountedLoops('file.ts', 'let = ='), undefined)
})
