// CSV as spreadsheets read it, without formulas from strangers.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { csvLine } from './csv.ts'

const LINES: [cells: (string | number | null)[], line: string][] = [
  [['a', 1500, null, 'é'], 'a;1500;;é\r\n'],
  [['a;b', 'say "x"', 'two\nlines'], '"a;b";"say ""x""";"two\nlines"\r\n'],
  [['=1+1', '+227 96', '-1', '@x', '\tx'], "'=1+1;'+227 96;'-1;'@x;'\tx\r\n"],
  [[' =1', '\u00a0+1', '＝1', '\n=1', 'a=1'], "' =1;'\u00a0+1;'＝1;\"'\n=1\";a=1\r\n"],
  [['=a;b'], '"\'=a;b"\r\n'],
  [[-5], '-5\r\n'],
]
for (const [cells, line] of LINES)
  it(`CSV: ${JSON.stringify(cells)} is ${JSON.stringify(line)}`, () => assert.equal(csvLine(cells), line))
