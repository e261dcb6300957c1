// Tables for a terminal and for a file: widths, colours, truncation, and escape sequences in
// merchants' and payers' text.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Column, cutTo, formatTable, plain, type Screen, widthOf } from './table.ts'

type Row = {
  name: string
  amount: number
  state: string
  note: string
}

const COLUMNS: Column<Row>[] = [
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'XOF', cell: ({ amount }) => String(amount), is: 'number' },
  { heading: 'STATE', cell: ({ state }) => state, is: 'state' },
  { heading: 'NOTE', cell: ({ note }) => note, is: 'free text' },
]
const ROWS: Row[] = [
  { name: 'Awa', amount: 15_000, state: 'failed: declined', note: 'a note that is rather long' },
  { name: '東京', amount: 50, state: 'unheard of', note: '' },
]
const FILE: Screen = { width: undefined, paint: (_, text) => text }
const PAINTED: Screen = { width: undefined, paint: (style, text) => `<${style}>${text}</>` }

describe('CLI table', () => {
  it('has a heading row, and columns as wide as their widest cell', () => {
    assert.deepEqual(formatTable(COLUMNS, ROWS, FILE), [
      'NAME    XOF  STATE             NOTE',
      'Awa   15000  failed: declined  a note that is rather long',
      '東京     50  unheard of',
    ])
  })

  it('is as wide with colours as without', () => {
    const painted = formatTable(COLUMNS, ROWS, PAINTED)
    assert.equal(painted[1], 'Awa   15000  <red>failed: declined</>  a note that is rather long')
    assert.equal(
      painted[0],
      '<bold>NAME</>    <bold>XOF</>  <bold>STATE</>             <bold>NOTE</>',
    )
    const plain = painted.map((line) => line.replace(/<.*?>/g, ''))
    assert.deepEqual(plain, formatTable(COLUMNS, ROWS, FILE))
  })

  it('is truncated on a terminal in columns of free text, and nowhere else', () => {
    assert.equal(
      formatTable(COLUMNS, ROWS, { ...FILE, width: 45 })[1],
      'Awa   15000  failed: declined  a note that i…',
    )
    assert.equal(
      formatTable(COLUMNS, ROWS, { ...FILE, width: 10 })[1],
      'Awa   15000  failed: declined  a note that…',
    )
    assert.equal(formatTable(COLUMNS, ROWS, { ...FILE, width: 200 })[1]?.length, 57)
  })

  it('lets no cell draw on the terminal or break a line', () => {
    const row = { name: '\u001b[31mred\n\u202enwod', amount: 1, state: 'on', note: '' }
    assert.equal(formatTable(COLUMNS, [row], FILE)[1], '\uFFFD[31mred\uFFFD\uFFFDnwod    1  on')
  })
})

describe('CLI text on a terminal', () => {
  const WIDTHS: [cells: number, texts: string[]][] = [
    [0, ['']],
    [2, ['ｶﾅ', '😀', '👩‍🍳', '🇳🇪', 'a…']],
    [4, ['東京']],
    [7, ['order-1']],
    [8, ['Épicerie', 'E\u0301picerie']],
  ]
  for (const [cells, texts] of WIDTHS)
    for (const text of texts)
      it(`${JSON.stringify(text)} takes ${cells} cells`, () => assert.equal(widthOf(text), cells))

  const CUTS: [text: string, width: number, cut: string][] = [
    ['order-1', 7, 'order-1'],
    ['order-1', 4, 'ord…'],
    ['東京都', 4, '東…'],
    ['E\u0301E\u0301E\u0301', 2, 'E\u0301…'],
  ]
  for (const [text, width, cut] of CUTS)
    it(`${JSON.stringify(text)} in ${width} cells is ${cut}`, () =>
      assert.equal(cutTo(text, width), cut))

  it('keeps the joiners that scripts and emoji need', () =>
    assert.equal(plain('👩‍🍳 می‌خواهم'), '👩‍🍳 می‌خواهم'))
})
