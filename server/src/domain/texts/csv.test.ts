// CSV as spreadsheets read it, without formulas from strangers.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type CsvCell, csvLine } from './csv.ts'

const LINES: [cells: CsvCell[], line: string][] = [
  [['a', 1500, null, 'é'], 'a;1500;;é\r\n'],
  [['a;b', 'say "x"', 'two\nlines'], '"a;b";"say ""x""";"two\nlines"\r\n'],
  [['=1+1', '+227 96', '-1', '@x', '\tx'], "'=1+1;'+227 96;'-1;'@x;'\tx\r\n"],
  [[' =1', '\u00a0+1', '＝1', '\n=1', 'a=1'], "' =1;'\u00a0+1;'＝1;\"'\n'=1\";a=1\r\n"],
  [['=a;b'], '"\'=a;b"\r\n'],
  [[-5], '-5\r\n'],
  // Where spreadsheets split at commas or tabs, or do not know our quotes.
  [["Awa,=cmd|'/C calc'!A0,x"], "Awa,'=cmd|'/C calc'!A0,x\r\n"],
  [['a\t+1', 'a, @b', 'a|-b'], "a\t'+1;a, '@b;a|'-b\r\n"],
  [['a\n=1', 'a;=1'], `"a\n'=1";"a;'=1"\r\n`],
  // What a spreadsheet would change stays a text; what it shows as written stays plain.
  [[{ text: '00000266' }, { text: '266' }], '"=""00000266""";266\r\n'],
  [[{ text: '123456789012' }, { text: '12E4' }], '"=""123456789012""";"=""12E4"""\r\n'],
  [[{ text: '+227 96' }, { text: '3-11' }], '"=""+227 96""";"=""3-11"""\r\n'],
  [[{ text: '=1+000247' }, { text: '0,=1' }, { text: 'order-7' }], "'=1+000247;0,'=1;order-7\r\n"],
]
for (const [cells, line] of LINES)
  it(`CSV: ${JSON.stringify(cells)} is ${JSON.stringify(line)}`, () =>
    assert.equal(csvLine(cells), line))
